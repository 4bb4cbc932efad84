"""Kernels of objects that are no vectors: strings, graphs, series, bags and records."""
