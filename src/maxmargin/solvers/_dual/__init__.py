"""Solvers of problems with a canonical dual."""
