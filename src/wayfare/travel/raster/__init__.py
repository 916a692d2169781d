"""Travel over a map of cells."""
