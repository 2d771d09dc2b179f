"""Variables, links, optimizers and files as in Chainer 1 to 6."""
