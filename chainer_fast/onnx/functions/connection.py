"""Converters of connections."""
import numpy

from chainer_fast.onnx import onnx_helper
from chainer_fast.onnx.functions.opset_version import support


@support((1, 6, 7))
def convert_LinearFunction(func, opset_version, input_names, output_names, context):
    if len(input_names) == 2:
        dtype = func.inputs[1].dtype
        bias = numpy.zeros(func.inputs[1].shape[0], dtype)
        input_names = [*input_names, context.add_param(bias, 'bias')]
    return onnx_helper.make_node(
        'Gemm', input_names, output_names, alpha=1.0, beta=1.0, transA=0, transB=1),
