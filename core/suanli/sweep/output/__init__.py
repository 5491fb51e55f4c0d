"""Files of a sweep: CSV, XLSX and Parquet, the same bytes for the same rows, written whole or not at all."""

from suanli.sweep.output.write import FORMATS, check_output, write_table

__all__ = ["FORMATS", "check_output", "write_table"]
