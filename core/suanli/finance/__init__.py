"""Published formulas of investment, financing, depreciation, leasing, training cost, site cost and emissions.

Pure functions over exact decimals. They import the domain and the errors and nothing else of the project, so
that they can prove the ledger from outside: `docs/finance.md` derives them, and published results hold them.
"""
