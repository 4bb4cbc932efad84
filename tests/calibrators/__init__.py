"""Tests of calibrators and folds."""
