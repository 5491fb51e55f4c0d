"""Predictions against published, measured runs: reading, null models, errors, tables.

The order of work is `records` (what was measured), the predictor, `nulls` (what no model at all would say),
`scoring` (errors and their statistics) and `tables` (what is shown).
"""
