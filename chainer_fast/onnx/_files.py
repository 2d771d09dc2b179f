"""Models as files of at most 2 GiB, and their arrays in another file beyond that."""
import math
import os

from chainer_fast.onnx._library import onnx

#: A protocol buffer of more bytes cannot be written. Leaves room for the nodes.
LARGEST = 2 ** 31 - 2 ** 24


def is_large(model):
    """Tell whether a model does not fit one file.

    Parameters
    ----------
    model : onnx.ModelProto
        The model.

    Returns
    -------
    bool
        True if its arrays have 2 GiB or more.
    """
    return sum(
        math.prod(x.dims) * onnx.helper.tensor_dtype_to_np_dtype(x.data_type).itemsize
        for x in model.graph.initializer) > LARGEST


def without_arrays(model):
    """Copy a model without its initializers.

    Parameters
    ----------
    model : onnx.ModelProto
        The model.

    Returns
    -------
    onnx.ModelProto
        The copy, whose initializers are inputs.
    """
    graph, given = model.graph, {x.name for x in model.graph.input}
    infos = [onnx.helper.make_tensor_value_info(x.name, x.data_type, x.dims)
             for x in graph.initializer if x.name not in given]
    return onnx.helper.make_model(
        onnx.helper.make_graph(
            graph.node, graph.name, [*graph.input, *infos], graph.output),
        opset_imports=model.opset_import, ir_version=model.ir_version)


def save(model, file, save_text=False):
    """Write a model.

    Parameters
    ----------
    model : onnx.ModelProto
        The model. If it is large, its arrays go to a file of the same name with
        ``.data`` added, and the model refers to that from then on.
    file : str, path or file object
        Where to write it.
    save_text : bool
        Write the model as text, too: to a file of the same name with ``.txt`` added.

    Raises
    ------
    ValueError
        If the model is large, and is to be written to a file object.
    """
    if hasattr(file, 'write'):
        if is_large(model):
            raise ValueError(
                'a model of 2 GiB or more does not fit one file: give the name of a '
                'file instead of a file object, so that its arrays can go to another')
        file.write(model.SerializeToString())
        return
    path = os.fspath(file)
    if is_large(model):
        location = os.path.basename(path) + '.data'
        data = os.path.join(os.path.dirname(path), location)
        if os.path.exists(data):
            os.remove(data)    # ONNX would append to it
        onnx.save_model(model, path, save_as_external_data=True, location=location)
    else:
        content = model.SerializeToString()
        with open(path, 'wb') as f:
            f.write(content)
    if save_text:
        with open(path + '.txt', 'w') as f:
            f.write(str(model))
