"""Calls of static chains on a GPU: recordings, launched as CUDA graphs."""
