"""Memory layouts of variables, and the conversion between them.

Only functions that support layouts accept variables with the channels last; see
:mod:`chainer_fast.backends.layouts`.
"""
from __future__ import annotations

from typing import Any

from chainer_fast import function_node
from chainer_fast.backends import layouts
from chainer_fast.backends.layouts import (  # noqa: F401
    CUDNN_CHANNEL_FIRST_W,
    CUDNN_CHANNEL_FIRST_X,
    CUDNN_CHANNEL_LAST_W,
    CUDNN_CHANNEL_LAST_X,
    _get_layout_transpose_axes,
    _transpose_array,
    _transpose_shape,
    get_raw_shape,
    get_semantic_shape,
)
from chainer_fast.types import NdArray
from chainer_fast.utils import type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, _bound

__all__ = [
    'AsLayout', 'CUDNN_CHANNEL_FIRST_W', 'CUDNN_CHANNEL_FIRST_X',
    'CUDNN_CHANNEL_LAST_W', 'CUDNN_CHANNEL_LAST_X', 'get_raw_shape',
    'get_semantic_shape']


class AsLayout(function_node.FunctionNode):
    """Conversion of a variable to another memory layout.

    Parameters
    ----------
    layout : str or None
        Layout of the output.
    """

    # Both are known once the function has run.
    in_layout: Any = None
    axes: Any = None

    def __init__(self, layout: str | None) -> None:
        self.out_layout = layout

    def check_layout_forward(self, inputs: tuple[Variable, ...]) -> None:
        """Accept any layout: the conversion raises an error for unsupported ones."""

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        type_check.expect(in_types.size() == 1)

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        x, = inputs
        # They are recorded only if an input has a layout that is not the standard one.
        if self._input_layouts is not None:
            self.in_layout, = self._input_layouts
        self.output_layouts = (self.out_layout,)
        self.axes = layouts._get_layout_transpose_axes(
            x.ndim, self.in_layout, self.out_layout)
        return x if self.axes is None else x.transpose(self.axes),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        gy, = grad_outputs
        return AsLayout(self.in_layout).apply((gy,))


_bound.bind(AsLayout=AsLayout)
