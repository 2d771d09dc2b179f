"""Parts of backpropagation under the names that they have in Chainer."""
from chainer_fast._core.backward.backprop import (
    GradTable,
    backprop_step,
    reduce_gradients,
)

_reduce = reduce_gradients

__all__ = ['GradTable', 'backprop_step']
