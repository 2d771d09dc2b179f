"""``numpy.array(None)`` in npy files, read without running code from the file.

NumPy writes arrays of objects as pickles, and loading a pickle can run any code. The
only array of objects in the files of this package holds None, for a value that was not
set. It is recognized by unpickling with stand-ins, which record calls but make none.
"""
import dataclasses
import io
import pickle
from typing import Any

import numpy


def write_none(file):
    """Write a 0-dimensional array of None in the npy format.

    All versions of NumPy can read it: since version 2, NumPy writes pickles that name a
    module which version 1 lacks.

    Parameters
    ----------
    file : file
        Where to write.
    """
    array = numpy.array(None)
    numpy.lib.format.write_array_header_1_0(
        file, numpy.lib.format.header_data_from_array_1_0(array))
    pickled = pickle.dumps(array, protocol=3)
    file.write(pickled.replace(b'cnumpy._core.', b'cnumpy.core.'))


def is_pickled_none(pickled):
    """Return whether bytes are the pickle of a 0-dimensional array of None.

    Parameters
    ----------
    pickled : bytes
        The part of an ``.npy`` file of objects after the header.

    Returns
    -------
    bool
    """
    try:
        made = _Unpickler(io.BytesIO(pickled)).load()
    except Exception:  # damaged pickles raise errors of many types
        return False
    return made in _EXPECTED


@dataclasses.dataclass
class _StandIn:
    """Stand-in for a class or function, or for the result of calling it."""

    module: str
    name: str
    args: Any = None
    state: Any = None

    def __call__(self, *args):
        return _StandIn(self.module, self.name, args)

    def __setstate__(self, state):
        self.state = state


class _Unpickler(pickle._Unpickler):
    """Unpickler whose names are all stand-ins.

    The C implementation would allocate gigabytes for a damaged memo index.
    """

    def find_class(self, module, name):
        return _StandIn(module, name)

    def get_extension(self, code):
        raise pickle.UnpicklingError('extension codes are not supported')


def _array_of_none(core, byte_b):
    """Return the recorded calls of ``numpy.array(None)`` from one kind of writer."""
    dtype = _StandIn(
        'numpy', 'dtype', ('O8', False, True), (3, '|', None, None, None, -1, -1, 63))
    return _StandIn(
        core + '.multiarray', '_reconstruct',
        (_StandIn('numpy', 'ndarray'), (0,), byte_b), (1, (), dtype, False, [None]))


# The bytes of a letter: Python 3, Python 2, and Python 3 with a protocol of Python 2,
# which has no bytes type and writes a call that encodes text.
_EXPECTED = [
    _array_of_none(core, byte_b)
    for core in ('numpy.core', 'numpy._core')
    for byte_b in (b'b', 'b', _StandIn('_codecs', 'encode', ('b', 'latin1')))]
