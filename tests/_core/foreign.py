"""Arrays as they come from files, pickles and other libraries."""
import copy
import io
import pickle
import tempfile

import numpy as np

from tests._core.shortcut_cases import SubArray


def _saved(array):
    file = io.BytesIO()
    np.save(file, array.astype(array.dtype.str))     # a file has no metadata
    file.seek(0)
    return np.load(file)


def _mapped(array):
    """Return an array in a file that has no name any more."""
    with tempfile.TemporaryFile() as file:
        file.write(array.tobytes() or b'\0')
        file.flush()
        return np.memmap(file, array.dtype, 'r+', shape=array.shape)


def _of_dtype(array, **metadata):
    return array.astype(np.dtype(array.dtype, metadata=metadata), copy=True)


def _with_descriptor(array):
    """Return an array whose descriptor is another object than NumPy's own."""
    found = array.view(pickle.loads(pickle.dumps(np.dtype(array.dtype.str))))
    return found if found.dtype is not array.dtype else pickle.loads(
        pickle.dumps(array))


def _odd(array):
    memory = bytearray(array.nbytes + 64)
    start = np.frombuffer(memory, 'u1').__array_interface__['data'][0] % 2
    view = np.ndarray(array.shape, array.dtype, memory, 1 - start)
    view[...] = array
    return view


def _read_only(array):
    array = array.copy()
    array.flags.writeable = False
    return array


#: Where arrays are from that compiled code takes: each makes one like another.
NATIVE = {
    'pickle': lambda array: pickle.loads(pickle.dumps(array)),
    'old pickle': lambda array: pickle.loads(pickle.dumps(array, 2)),
    'pickled in a list': lambda array: pickle.loads(pickle.dumps([array]))[0],
    'deep copy': copy.deepcopy,
    'file': _saved,
    'mapped file': lambda array: np.asarray(_mapped(array)),
    'buffer': lambda array: np.frombuffer(
        bytearray(array.tobytes()), array.dtype).reshape(array.shape),
    'bytes': lambda array: np.frombuffer(
        array.tobytes(), array.dtype).reshape(array.shape),
    'DLPack': lambda array: np.from_dlpack(array.copy()),
    'descriptor': _with_descriptor,
    'metadata': lambda array: _of_dtype(array, unit='m'),
    'view of a subclass': lambda array: np.asarray(array.copy().view(SubArray)),
    'read-only': _read_only,
}

#: Where others are from, which go the general way.
OTHERS = {
    'odd address': _odd,
    'subclass': lambda array: array.copy().view(SubArray),
    'swapped': lambda array: array.astype(array.dtype.newbyteorder()),
    'memory map': _mapped,
}

#: All of them.
ORIGINS = {**NATIVE, **OTHERS}
