"""Shortcut of the accuracy; its kernel is its function."""
