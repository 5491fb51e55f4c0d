"""Facts that no vendor owns: models, generic links, prices, sites, rules."""

__version__ = "0.1.0"
