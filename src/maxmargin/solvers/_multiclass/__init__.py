"""Solvers of all classes at once."""
