"""Kernels on GPUs: queries about device arrays, and launches by the CUDA driver."""
