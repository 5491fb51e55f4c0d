"""Scripts that an acceptance plan hands out; each runs by itself, without this package."""
