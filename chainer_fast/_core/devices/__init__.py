"""Kernels on GPUs: what is on a device, and launches by the driver of CUDA."""
