"""Quadratic and linear programs by general solvers, in a process of their own where they are long."""
