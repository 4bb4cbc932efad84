"""Linear estimators."""
