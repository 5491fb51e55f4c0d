"""Prices in and out: quote sheets for suppliers, quotations read back, and the prices of one run."""
