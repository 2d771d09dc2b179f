"""Functions as called by programs for Chainer 1 to 6."""
