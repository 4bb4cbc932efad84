"""The steps of a usual notebook."""
