"""Models of other programs, and evidence that a model needs no program for."""
