"""A ledger of named values whose expressions give exact values and spreadsheet formulas alike."""
