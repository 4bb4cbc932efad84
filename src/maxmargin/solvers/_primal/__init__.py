"""Solvers of linear models."""
