"""One frozen, rounded, ordered model of everything that a document shows; all arithmetic ends here."""
