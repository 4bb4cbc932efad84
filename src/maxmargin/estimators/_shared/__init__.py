"""What estimators share: plan, parameters, input, reports, warm starts, schemes of several classes."""
