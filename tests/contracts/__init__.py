"""Laws that every kernel, problem, solver and estimator must keep."""
