"""Newton's method for rows that come in blocks."""
