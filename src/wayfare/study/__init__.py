"""The object users hold, and the moves it makes."""
