"""Trainers, extensions and triggers as in Chainer 1 to 6."""
