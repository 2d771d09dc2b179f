"""Links as programs of Chainer 1 to 6 make and call them."""
