"""Everything at once, for a while: ``make soak`` (half an hour) and three minutes of it among the tests."""
