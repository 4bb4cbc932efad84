"""Explicit maps and their kernels."""
