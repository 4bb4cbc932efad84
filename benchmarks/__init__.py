"""Ours against the peers, side by side in one run: ``make bench [SUITE=kernel] DATA=folder``."""
