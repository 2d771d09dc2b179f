"""Converters of functions on arrays."""
from chainer_fast.onnx.functions.array import _axes, _elements, _images, _joins, _shapes
from chainer_fast.onnx.functions.array._slices import get_slice_node as get_slice_node
from chainer_fast.onnx.functions.opset_version import support
from chainer_fast.onnx.onnx_helper import (
    NP_TYPE_TO_TENSOR_TYPE as NP_TYPE_TO_TENSOR_TYPE,
    TENSOR_TYPE_TO_NAME as TENSOR_TYPE_TO_NAME,
)

for _module in (_axes, _elements, _images, _joins, _shapes):
    globals().update({
        name: converter for name, converter in vars(_module).items()
        if name.startswith('convert_')})
