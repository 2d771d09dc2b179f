"""The calling conventions of converters."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from chainer_fast.onnx.context import Context


class FunctionConverterParams:
    """Argument of a converter.

    Attributes
    ----------
    func : chainer_fast.FunctionNode
        The function, after its application.
    opset_version : int
        Operator set version of the export.
    input_names, output_names : list of str
        Names of its inputs and outputs in the ONNX graph.
    context : chainer_fast.onnx.context.Context
        Names and constants of the export.
    """

    def __init__(
            self, func: Any = None, opset_version: int | None = None,
            input_names: list[str] | None = None, output_names: list[str] | None = None,
            context: Context | None = None) -> None:
        self.func = func
        self.opset_version = opset_version
        self.input_names = input_names
        self.output_names = output_names
        self.context = context


class FunctionConverter:
    """A converter of this package, called with :class:`FunctionConverterParams`.

    Parameters
    ----------
    converter : callable
        Called with the five attributes of the parameters, in their order; returns a
        tuple of nodes, the last of which makes the outputs.
    """

    def __init__(self, converter: Any) -> None:
        self.converter = converter

    def __call__(self, params: Any) -> Any:
        return self.converter(
            params.func, params.opset_version, params.input_names,
            params.output_names, params.context)
