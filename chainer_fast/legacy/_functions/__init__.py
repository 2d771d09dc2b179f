"""Functions as programs of Chainer 1 to 6 call them."""
