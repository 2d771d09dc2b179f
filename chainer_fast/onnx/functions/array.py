"""Converters of functions on arrays."""
from chainer_fast.onnx import onnx_helper
from chainer_fast.onnx.functions.opset_version import support


@support((1, 5))
def convert_Reshape(func, opset_version, input_names, output_names, context):
    if len(input_names) == 2:    # the shape is computed in the graph
        return onnx_helper.make_node('Reshape', input_names, output_names),
    import numpy
    shape = context.add_const(numpy.array(func.shape, numpy.int64), 'shape')
    return onnx_helper.make_node('Reshape', [*input_names, shape], output_names),
