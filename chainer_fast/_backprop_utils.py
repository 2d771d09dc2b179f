"""Parts of backpropagation under the names that they have in Chainer."""
from chainer_fast._core.backprop import backprop_step
from chainer_fast._core.grad_table import GradTable, reduce_gradients

_reduce = reduce_gradients

__all__ = ['GradTable', 'backprop_step']
