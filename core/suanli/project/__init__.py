"""The project file: read with line numbers, checked whole, completed by a scenario."""
