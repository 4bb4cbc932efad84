"""Agreement with scikit-learn, and certificates recomputed by somebody else."""
