"""A folder to put on a path: in it, the names chainer and chainerx lead here."""
