"""What all solvers share: contract, limits, clock, threads, memory, and the way into the core."""
