"""What several families of kernels share."""
