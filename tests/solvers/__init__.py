"""Tests of the solvers room: what one algorithm promises."""
