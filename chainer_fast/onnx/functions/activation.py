"""Converters of activation functions."""
from chainer_fast.onnx import onnx_helper
from chainer_fast.onnx.functions.opset_version import support


@support((1, 6))
def convert_ReLU(func, opset_version, input_names, output_names, context):
    return onnx_helper.make_node('Relu', input_names, output_names),
