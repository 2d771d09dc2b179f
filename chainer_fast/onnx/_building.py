"""Building ONNX models from converted functions."""
from chainer_fast._version import __version__
from chainer_fast.onnx import _shapes
from chainer_fast.onnx._library import onnx
from chainer_fast.onnx.onnx_helper import NP_TYPE_TO_TENSOR_TYPE

# From this version on, the model's arrays are not inputs of the graph. As inputs they
# could be replaced, so that a runtime could not fold constants.
_ARRAYS_ARE_CONSTANT = 12


def build(graph, opset_version, graph_name, inputs, outputs, arrays, storage,
          external_opset_imports, input_shapes):
    """Make a model.

    Parameters
    ----------
    graph : chainer_fast.onnx.graph.Graph
        The converted functions.
    opset_version : int
        Version of the operator set.
    graph_name : str
        Name of the graph.
    inputs, outputs : dict of Variable
        Inputs and outputs of the network, by name.
    arrays : dict of array
        The other arrays, by name.
    storage : chainer_fast.onnx._files.InModel or SecondFile, or None
        Storage of these arrays; None for a model in which they are only inputs.
    external_opset_imports : dict or None
        Versions of other operator sets, by domain.
    input_shapes : list of tuple or None
        Shapes of the inputs with names for some sizes.

    Returns
    -------
    onnx.ModelProto
        The model.
    """
    helper = onnx.helper
    imports = [helper.make_opsetid('', opset_version)]
    own_version = helper.find_min_ir_version_for(imports, ignore_unknown=True)
    imports += [helper.make_opsetid(domain, version)
                for domain, version in (external_opset_imports or {}).items()]

    if input_shapes is None:
        input_shapes = [x.shape for x in inputs.values()]
    of_inputs = [_describe(name, x.dtype, shape) for (name, x), shape in zip(
        inputs.items(), input_shapes, strict=True)]
    of_arrays = [_describe(name, x.dtype, x.shape) for name, x in arrays.items()]
    if storage is not None and opset_version >= _ARRAYS_ARE_CONSTANT:
        of_arrays = []
    params = [info for info in of_arrays if info.name in graph.context.param_names]
    others = [info for info in of_arrays if info.name not in graph.context.param_names]

    def make(output_infos, given, initializers):
        return helper.make_model(
            helper.make_graph(
                graph.graph, graph_name, given, output_infos, initializers),
            producer_name='Chainer', producer_version=__version__,
            opset_imports=imports, ir_version=own_version)

    of_outputs = [_describe(name, y.dtype, y.shape) for name, y in outputs.items()]
    if any(isinstance(x, str) or x is None for shape in input_shapes for x in shape):
        bare = make(of_outputs, [
            *of_inputs, *[_describe(name, x.dtype, x.shape)
                          for name, x in arrays.items()]], [])
        shapes = _shapes.infer_output_shapes(bare, [y.ndim for y in outputs.values()])
        of_outputs = [_describe(name, y.dtype, shape) for (name, y), shape in zip(
            outputs.items(), shapes, strict=True)]
    initializers = [] if storage is None else [
        storage.add(name, x) for name, x in arrays.items()]
    return make(of_outputs, [*params, *of_inputs, *others], initializers)


def _describe(name, dtype, shape):
    """Return the name, type and shape of an array for the graph."""
    if dtype not in NP_TYPE_TO_TENSOR_TYPE:
        raise TypeError('%s has the dtype %s, which ONNX does not '
                        'support' % (name, dtype))
    return onnx.helper.make_tensor_value_info(
        name, NP_TYPE_TO_TENSOR_TYPE[dtype], list(shape))

