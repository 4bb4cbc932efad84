"""Kernel models on landmarks: the features of a `LandmarkMap`, and a linear model of them."""
