"""Gradients with the interface of nnabla 1.39: :func:`grad` and :func:`show_registry`.

This package must be imported explicitly: ``import chainer_fast.nnabla``.
"""
from chainer_fast.nnabla._gradient import grad as grad
from chainer_fast.nnabla.backward_functions import show_registry as show_registry
