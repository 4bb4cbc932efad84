"""Every fit ends and says why; processes, threads and pickles survive."""
