"""Models as files, with their arrays in another file beyond 2 GiB."""
import os

from chainer_fast.backends import cuda
from chainer_fast.onnx._library import onnx

#: A protocol buffer of more bytes cannot be made. Leaves room for the nodes.
LARGEST = 2 ** 31 - 2 ** 24

# Runtimes map the file into memory, page by page.
_PAGE = 4096


def choose_storage(arrays, file):
    """Return where the arrays of a model go, from their sizes.

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
        If the arrays are too large for one file, but no name of a file is given.
    """
    if sum(array.nbytes for array in arrays) <= LARGEST:
        return InModel()
    if file is None or hasattr(file, 'write'):
        raise ValueError(
            'a model of 2 GiB or more does not fit one protocol buffer: give the name '
            'of a file, so that its arrays can go to a second file')
    return SecondFile(os.fspath(file) + '.data')


class InModel:
    """Arrays within the model."""

    def add(self, name, array):
        """Return the initializer of an array, an onnx.TensorProto."""
        return onnx.numpy_helper.from_array(cuda.to_cpu(array), name)

    def write(self):
        """Write what is not in the model: nothing."""


class SecondFile:
    """Arrays in a file beside the model.

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
        """Return the initializer of an array, an onnx.TensorProto: its place."""
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
                # ONNX's numbers begin with their lowest byte.
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
        Write the model as text, too: to a file of the same name with ``.txt`` added.
    """
    content = model.SerializeToString()
    if hasattr(file, 'write'):
        file.write(content)
        return
    path = os.fspath(file)
    with open(path, 'wb') as f:
        f.write(content)
    if save_text:
        with open(path + '.txt', 'w') as f:
            f.write(str(model))


def without_external_arrays(model):
    """Return a model that a checker can read, whose second file is not written yet.

    Parameters
    ----------
    model : onnx.ModelProto
        The model.

    Returns
    -------
    onnx.ModelProto
        The model itself, or a copy with inputs in place of initializers that are in
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
