"""Random fits over all estimators, each judged in extended precision by formulas that share no code with the library."""
