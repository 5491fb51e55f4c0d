"""Renderers of the proposal: PDF, HTML, workbook and JSON. They lay out; the proposal has all the figures."""

__version__ = "0.1.0"
