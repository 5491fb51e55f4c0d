"""Finds plugins, checks what they yield, and turns each fault into a report that names plugin and cure."""
