"""Arithmetic of arrays and numbers."""
