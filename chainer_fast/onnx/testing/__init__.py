"""Inputs for tests of exported models, and comparison with runtimes."""
