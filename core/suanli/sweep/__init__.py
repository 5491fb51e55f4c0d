"""Sweeps: the grid of what-ifs of a project, on all cores or a Dask cluster, resumable, as one table.

A point of the grid is the project with one value of every varied key. Points are independent: each yields one
row for every device, and infeasible or contradictory ones are rows with a reason. Finished points are
appended to a journal beside the output, so that an interrupted sweep goes on where it stopped; the output is
written from the journal in the order of the grid, whoever computed it and in whatever order.
"""
