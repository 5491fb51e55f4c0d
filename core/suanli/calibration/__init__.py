"""Fits the constants of the step-time model on published runs, and measures how well they predict others."""
