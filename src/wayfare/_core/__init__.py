"""Shared building blocks: arrays, input checks, text formatting and parsing, random streams, lifecycle marks."""
