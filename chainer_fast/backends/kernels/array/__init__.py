"""Rearrangement of arrays."""
