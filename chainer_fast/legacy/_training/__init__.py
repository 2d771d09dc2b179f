"""Trainers, extensions and triggers as Chainer 1 to 6 had them."""
