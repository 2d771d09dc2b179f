"""Variables, links, optimizers and files as Chainer 1 to 6 had them."""
