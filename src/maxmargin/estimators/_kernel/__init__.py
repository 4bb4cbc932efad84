"""Estimators with a kernel."""
