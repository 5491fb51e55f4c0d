"""Frozen, typed records with their units in their names: the vocabulary that every other layer shares."""
