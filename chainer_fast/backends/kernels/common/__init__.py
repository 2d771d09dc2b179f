"""Code that several families of kernels share."""
