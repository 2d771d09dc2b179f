"""Shapes of inputs, with names instead of sizes."""
from chainer_fast.onnx._library import onnx


def format_customized_shapes(args, shapes):
    """Check the shapes of the inputs, and return them in the order of the inputs.

    Parameters
    ----------
    args : Variable, array, or list, tuple or dict of them
        The inputs.
    shapes : tuple, list of tuple, or dict of tuple
        Their shapes: a tuple for one input, otherwise a list in the order of the
        inputs, or a dict by their keys. An entry is a size, a name or None.

    Returns
    -------
    list of tuple
        The shapes.

    Raises
    ------
    ValueError
        If they do not match the inputs.
    """
    if isinstance(args, dict):
        keys, inputs = list(args), list(args.values())
    else:
        inputs = list(args) if isinstance(args, (list, tuple)) else [args]
        keys = None
    if isinstance(shapes, dict):
        if keys is None or set(keys) != set(shapes):
            raise ValueError(
                'input_shapes has the keys %s, but the inputs have %s'
                % (list(shapes), keys or 'none'))
        shapes = [shapes[key] for key in keys]
    elif isinstance(shapes, tuple) and len(inputs) == 1:
        shapes = [shapes]
    if not isinstance(shapes, (list, tuple)) or len(shapes) != len(inputs):
        raise ValueError(
            'input_shapes must have a tuple for each of the %d inputs: a tuple for one '
            'input, a list or a dict for several, not %r' % (len(inputs), shapes))
    for x, shape in zip(inputs, shapes, strict=True):
        if not isinstance(shape, tuple) or len(shape) != x.ndim:
            raise ValueError(
                'an input of shape %s cannot have %r in input_shapes: it needs a '
                'tuple of %d sizes or names' % (x.shape, shape, x.ndim))
    return list(shapes)


def infer_output_shapes(model, ndims):
    """Return the shapes of a model's outputs, inferred by ONNX from the inputs.

    Parameters
    ----------
    model : onnx.ModelProto
        The model; the shapes of its outputs are ignored.
    ndims : list of int
        Numbers of axes of the outputs.

    Returns
    -------
    list of tuple
        A size, a name or None for each axis.
    """
    bare = onnx.ModelProto()
    bare.CopyFrom(model)
    for output in bare.graph.output:
        output.type.tensor_type.ClearField('shape')
    found = []
    # ONNX invents names for unknown sizes.
    names = {dim.dim_param for each in bare.graph.input
             for dim in each.type.tensor_type.shape.dim if dim.dim_param}
    inferred = onnx.shape_inference.infer_shapes(bare)
    for output, ndim in zip(inferred.graph.output, ndims, strict=True):
        dims = output.type.tensor_type.shape.dim
        if len(dims) != ndim:
            found.append((None,) * ndim)
            continue
        found.append(tuple([
            dim.dim_value if dim.HasField('dim_value')
            else dim.dim_param if dim.dim_param in names else None for dim in dims]))
    return found
