"""From a project file to a requirement: one module a section, and the draft that collects what was chosen."""
