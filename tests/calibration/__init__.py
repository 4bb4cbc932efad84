"""Tests of calibrated classifiers."""
