"""Probability distributions whose densities can be differentiated."""
