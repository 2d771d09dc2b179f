"""Hooks that measure computations from start to end."""
from __future__ import annotations

from typing import TYPE_CHECKING

from chainer_fast import function_hook
from chainer_fast.types import GradArrays

if TYPE_CHECKING:
    from chainer_fast.function_node import FunctionNode


class SpanHook(function_hook.FunctionHook):
    """Base of hooks that treat both directions of a function in the same way.

    Spans are nested: the backward computation of a function applies other functions.
    """

    def _begin(self, function, arrays, direction):
        """Handle the beginning of a computation.

        Parameters
        ----------
        function : FunctionNode
            The function.
        arrays : tuple of array or None
            Inputs of the function; in the backward direction, also the gradients of its
            outputs.
        direction : {'forward', 'backward'}
            Direction of the computation.
        """
        raise NotImplementedError('%s has to define _begin()' % type(self).__name__)

    def _end(self, function, arrays):
        """Handle the end of a computation; see :meth:`_begin`."""
        raise NotImplementedError('%s has to define _end()' % type(self).__name__)

    def forward_preprocess(self, function: FunctionNode, in_data: GradArrays) -> None:
        self._begin(function, in_data, 'forward')

    def forward_postprocess(self, function: FunctionNode, in_data: GradArrays) -> None:
        self._end(function, in_data)

    def backward_preprocess(
            self, function: FunctionNode, in_data: GradArrays,
            out_grad: GradArrays) -> None:
        self._begin(function, (*in_data, *out_grad), 'backward')

    def backward_postprocess(
            self, function: FunctionNode, in_data: GradArrays,
            out_grad: GradArrays) -> None:
        self._end(function, (*in_data, *out_grad))
