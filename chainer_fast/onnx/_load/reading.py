"""Reading of ONNX files and their tensors, with errors for invalid files."""
import importlib
import os

import numpy

from chainer_fast.onnx._library import onnx
from chainer_fast.onnx.onnx_helper import NP_TYPE_TO_TENSOR_TYPE

_DTYPES = {number: dtype for dtype, number in NP_TYPE_TO_TENSOR_TYPE.items()}


def dtype_of(number):
    """Return the dtype of a value of ``TensorProto.DataType``, or None.  """
    return _DTYPES.get(number)


def type_name(number):
    """Return the name of an ONNX type, for messages."""
    kinds = onnx.TensorProto.DataType
    return kinds.Name(number) if number in kinds.values() else 'number %d' % number


def to_array(tensor):
    """Return a tensor as a writable array.

    Raises
    ------
    TypeError
        If NumPy does not support its type.
    ValueError
        If its data do not match its shape.
    """
    if dtype_of(tensor.data_type) is None:
        raise TypeError(
            'the tensor %r has the type %s; supported types are %s' % (
                tensor.name, type_name(tensor.data_type), ', '.join(
                    [dtype.name for dtype in NP_TYPE_TO_TENSOR_TYPE])))
    try:
        return numpy.array(onnx.numpy_helper.to_array(tensor))
    except Exception as e:
        raise ValueError(
            'the data of the tensor %r, of type %s and shape %s, are incomplete or '
            'broken: %s' % (
                tensor.name, type_name(tensor.data_type), tuple(tensor.dims), e)) from e


def _of_bytes(content, name):
    model = onnx.ModelProto()
    try:
        model.ParseFromString(content)
    except Exception as e:
        raise ValueError(
            '%s is not an ONNX model, or is truncated: %s' % (name, e)) from e
    return model


def _check_parts(model, name):
    if not model.HasField('graph') or not model.opset_import:
        raise ValueError(
            '%s is not an ONNX model, or is truncated: it has %s' % (
                name, 'no graph' if model.opset_import else 'no operator set version'))


def _tensors(graph):
    yield from graph.initializer
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.HasField('t'):
                yield attribute.t


def _read_external(model, folder, name):
    helper = onnx.external_data_helper
    for tensor in _tensors(model.graph):
        if not helper.uses_external_data(tensor):
            continue
        location = helper.ExternalDataInfo(tensor).location
        if folder is None:
            raise ValueError(
                'the data of the tensor %r are in another file, %r; pass the path of '
                'the model instead of %s' % (tensor.name, location, name))
        try:
            helper.load_external_data_for_tensor(tensor, folder)
        except Exception as e:
            wrong = ValueError
            if not os.path.exists(os.path.join(folder, location)):
                wrong = FileNotFoundError
            raise wrong(
                'the data of the tensor %r of %s are in the file %r in the same '
                'folder, which cannot be read: '
                '%s' % (tensor.name, name, location, e)) from e
        tensor.data_location = onnx.TensorProto.DEFAULT
        del tensor.external_data[:]


def read(source):
    """Return the model of a file, including data in other files.

    Parameters
    ----------
    source : str, os.PathLike, binary file or onnx.ModelProto
        The file.

    Returns
    -------
    onnx.ModelProto
        A copy of the model, with its local functions inlined.
    str
        Its name for messages.

    Raises
    ------
    ImportError
        If onnx is not installed.
    OSError
        If a file cannot be read.
    TypeError
        If ``source`` is something else.
    ValueError
        If the content is invalid.
    """
    folder = None
    if isinstance(source, onnx.ModelProto):
        name, model = 'the model', onnx.ModelProto()
        model.CopyFrom(source)
    elif hasattr(source, 'read'):
        name = 'the file %r' % getattr(source, 'name', source)
        content = source.read()
        if not isinstance(content, bytes):
            raise TypeError(
                '%s is a text file; open it in binary mode: open(path, "rb")' % name)
        model = _of_bytes(content, name)
    elif isinstance(source, (str, os.PathLike)):
        name, folder = os.fspath(source), os.path.dirname(os.fspath(source)) or '.'
        with open(source, 'rb') as file:
            model = _of_bytes(file.read(), name)
    else:
        raise TypeError(
            'a model must be a path, a binary file or an onnx.ModelProto, not %s'
            % type(source).__name__)
    _check_parts(model, name)
    _read_external(model, folder, name)
    if model.functions:
        inliner = importlib.import_module('onnx.inliner')
        model = inliner.inline_local_functions(model)
    return model, name
