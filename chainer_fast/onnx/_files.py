"""Writing model files, with arrays in a second file beyond 2 GiB."""
import os

from chainer_fast.backends import cuda
from chainer_fast.onnx._library import onnx

#: Maximum bytes of arrays in a protocol buffer, leaving room for the nodes.
LARGEST = 2 ** 31 - 2 ** 24

# Runtimes map the file into memory, page by page.
_PAGE = 4096


def choose_storage(arrays, file):
    """Return the storage for the arrays of a model, based on their sizes.

    Parameters
    ----------
    arrays : iterable of array
        The arrays.
    file : str, path, file object or None
        Where the model will be written.

    Returns
    -------
    InModel or SecondFile
        The storage.

    Raises
    ------
    ValueError
        If the arrays are too large for one file, but no file name is given.
    """
    if sum(array.nbytes for array in arrays) <= LARGEST:
        return InModel()
    if file is None or hasattr(file, 'write'):
        raise ValueError(
            'a model of 2 GiB or more does not fit into one protocol buffer: pass a '
            'file name, so that its arrays can be written to a second file')
    return SecondFile(os.fspath(file) + '.data')


class InModel:
    """Arrays stored in the model."""

    def add(self, name, array):
        """Return the initializer of an array, an onnx.TensorProto."""
        return onnx.numpy_helper.from_array(cuda.to_cpu(array), name)

    def write(self):
        """Do nothing: all arrays are in the model."""


class SecondFile:
    """Arrays stored in a second file.

    Parameters
    ----------
    path : str
        Path of the file.
    """

    def __init__(self, path):
        self._path = path
        self._size = 0
        self._arrays = []

    def add(self, name, array):
        """Return the initializer of an array, a TensorProto with its location."""
        tensor = onnx.TensorProto(
            name=name, dims=array.shape,
            data_type=onnx.helper.np_dtype_to_tensor_dtype(array.dtype),
            data_location=onnx.TensorProto.EXTERNAL)
        offset = -(-self._size // _PAGE) * _PAGE
        for key, value in (('location', os.path.basename(self._path)),
                           ('offset', offset), ('length', array.nbytes)):
            tensor.external_data.add(key=key, value=str(value))
        self._arrays.append((offset, array))
        self._size = offset + array.nbytes
        return tensor

    def write(self):
        """Write the arrays."""
        with open(self._path, 'wb') as file:
            for offset, array in self._arrays:
                file.seek(offset)
                array = cuda.to_cpu(array)
                # ONNX's numbers are little-endian.
                array.astype(array.dtype.newbyteorder('<'), copy=False).tofile(file)


def save(model, file, save_text=False):
    """Write a model.

    Parameters
    ----------
    model : onnx.ModelProto
        The model.
    file : str, path or file object
        Where to write it.
    save_text : bool
        Also write the model as text, to a file with the suffix ``.txt``.
    """
    content = model.SerializeToString()
    if hasattr(file, 'write'):
        file.write(content)
        return
    path = os.fspath(file)
    with open(path, 'wb') as f:
        f.write(content)
    if save_text:
        with open(path + '.txt', 'w', encoding='utf-8') as f:
            f.write(str(model))


def without_external_arrays(model):
    """Return a model for a checker when its second file is not written yet.

    Parameters
    ----------
    model : onnx.ModelProto
        The model.

    Returns
    -------
    onnx.ModelProto
        The model itself, or a copy with inputs instead of initializers that are in
        another file.
    """
    external = [x for x in model.graph.initializer
                if x.data_location == onnx.TensorProto.EXTERNAL]
    if not external:
        return model
    bare = onnx.ModelProto()
    bare.CopyFrom(model)
    given = {x.name for x in model.graph.input}
    for tensor in external:
        bare.graph.initializer.remove(tensor)
        if tensor.name not in given:
            bare.graph.input.append(onnx.helper.make_tensor_value_info(
                tensor.name, tensor.data_type, tensor.dims))
    return bare
