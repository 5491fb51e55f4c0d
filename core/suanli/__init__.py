"""suanli (算力): sizing, costing and bilingual procurement proposals for AI training clusters."""

__all__ = ["API_VERSION", "__version__"]

__version__ = "0.1.0"

API_VERSION = 1
"""Version of the plugin contract that this host speaks; a plugin module states its own."""
