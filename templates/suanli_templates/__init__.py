"""Templates, styles, messages and fonts of the documents; package data only."""

__version__ = "0.1.0"
