"""The command line: the one place that wires the parts, reads the clock and writes files.

A module for each command. They are imported only when their command runs, so that ``suanli --help`` answers
at once.
"""
