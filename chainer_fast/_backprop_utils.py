"""Parts of backpropagation under Chainer's names for them."""
from chainer_fast._core.backward.backprop import (
    GradTable,
    backprop_step,
    reduce_gradients,
)

_reduce = reduce_gradients

__all__ = ['GradTable', 'backprop_step']
