"""Compiled forms of kernels, for host memory."""
