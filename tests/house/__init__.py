"""The rules of the house, read from its syntax tree."""
