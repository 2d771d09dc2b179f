"""Odd values of arguments that are numbers or None, beside the released Chainer."""
