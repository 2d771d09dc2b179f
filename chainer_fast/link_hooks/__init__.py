"""Hooks that act on links around their calls."""
