"""Arrays in the npy format, with checks of their headers."""
import ast
import functools
import io
import math
import re

import numpy

from chainer_fast.serializers._pickled_none import is_pickled_none, write_none

# Longest header to parse; NumPy has the same limit.
_LONGEST_HEADER = 10000
# The pickle of None is shorter in any version of Python.
_LONGEST_NONE = 4096
_CHUNK = 1 << 18


class Header:
    """Header of a file in the npy format.

    Attributes
    ----------
    shape : tuple of int
    dtype : numpy.dtype
    in_columns : bool
        Whether the first index varies fastest in the file.
    n_bytes : int
        Size of the elements.
    """

    __slots__ = 'shape', 'dtype', 'in_columns', 'n_bytes'

    def __init__(self, shape, dtype, in_columns):
        self.shape = shape
        self.dtype = dtype
        self.in_columns = in_columns
        self.n_bytes = math.prod(shape) * dtype.itemsize


def write(file, array):
    """Write an array.

    Parameters
    ----------
    file : file
        Where to write.
    array : numpy.ndarray
    """
    if is_none(array):
        write_none(file)
    elif array.flags.c_contiguous and array.nbytes and array.dtype.kind in 'biufcSU':
        file.write(_plain_header(array.dtype, array.shape))
        data = array.reshape(-1).view(numpy.uint8)
        for start in range(0, data.size, _CHUNK):
            file.write(data[start:start + _CHUNK])
    else:
        numpy.lib.format.write_array(file, array)


def is_none(array):
    """Return whether an array represents the value None."""
    return array.dtype == object and array.ndim == 0 and array[()] is None


@functools.lru_cache(maxsize=512)
def _plain_header(dtype, shape):
    file = io.BytesIO()
    numpy.lib.format.write_array_header_1_0(file, {
        'descr': numpy.lib.format.dtype_to_descr(dtype), 'fortran_order': False,
        'shape': shape})
    return file.getvalue()


def read_header(file, size):
    """Read the header, up to the elements.

    Parameters
    ----------
    file : file
        A file at its beginning; afterwards at the first element.
    size : int
        Size of the whole file in bytes.

    Returns
    -------
    Header

    Raises
    ------
    ValueError
        If the file is not in this format, or the header does not match its size.
    """
    start = file.read(8)
    if start[:6] != b'\x93NUMPY' or len(start) < 8:
        raise ValueError('it is not in the npy format')
    version = start[6]
    if version not in (1, 2, 3):
        raise ValueError('it is in version %d of the npy format' % version)
    n_digits = 2 if version == 1 else 4
    length = int.from_bytes(_read_exactly(file, n_digits), 'little')
    if length > _LONGEST_HEADER:
        raise ValueError('its header is %d bytes long' % length)
    header = _parse(_read_exactly(file, length), version)
    held = size - 8 - n_digits - length
    if not header.dtype.hasobject and header.n_bytes != held:
        raise ValueError(
            'its header claims %d bytes (shape %s, dtype %s), but the file contains %d'
            % (header.n_bytes, header.shape, header.dtype, held))
    return header


def _read_exactly(file, n_bytes):
    data = file.read(n_bytes)
    if len(data) != n_bytes:
        raise ValueError('it ends within its header')
    return data


@functools.lru_cache(maxsize=512)
def _parse(text, version):
    """Parse the text of a header; cached, as headers in a file are often equal."""
    text = text.decode('utf-8' if version == 3 else 'latin-1', 'replace')
    try:
        fields = _evaluate(text)
        dtype = numpy.lib.format.descr_to_dtype(fields['descr'])
        shape, in_columns = fields['shape'], fields['fortran_order']
        right = (len(fields) == 3 and type(in_columns) is bool and type(shape) is tuple
                 and all(type(length) is int and length >= 0 for length in shape)
                 and dtype.subdtype is None
                 and (dtype.itemsize or math.prod(shape) <= 1))
    except Exception as error:      # from the parser, or for an invalid dtype
        raise ValueError('its header cannot be parsed: %.80r' % text) from error
    if not right:
        raise ValueError('its header is invalid: %.80r' % text)
    return Header(shape, dtype, in_columns)


def _evaluate(text):
    try:
        return ast.literal_eval(text.strip())
    except SyntaxError:
        # Python 2 wrote long integers with the suffix L.
        return ast.literal_eval(re.sub(r'(\d)L\b', r'\1', text).strip())


def read_elements(file, header):
    """Read the elements after a header.

    Returns
    -------
    numpy.ndarray

    Raises
    ------
    ValueError
        If there are fewer or more elements.
    """
    shape = header.shape
    if header.n_bytes == 0:
        array = numpy.empty(shape, header.dtype)
        read_into(file, array.reshape(-1)[:0])
        return array
    array = numpy.empty(header.n_bytes, numpy.uint8)
    read_into(file, array)
    array = array.view(header.dtype)
    return array.reshape(shape[::-1]).T if header.in_columns else array.reshape(shape)


def can_read_into(array, header):
    """Return whether an array has the memory layout of the elements in the file."""
    return (array.dtype == header.dtype and array.shape == header.shape
            and array.flags.c_contiguous and array.nbytes > 0
            and (not header.in_columns or array.ndim < 2))


def read_into(file, array):
    """Read the elements after a header into an array with the same memory layout.

    Raises
    ------
    ValueError
        If there are fewer or more elements; some may have been filled in.
    """
    view = memoryview(array.reshape(-1).view(numpy.uint8))
    position, size = 0, len(view)
    while position < size:
        n_read = file.readinto(view[position:position + _CHUNK])
        if not n_read:
            raise ValueError(
                'it ends after %d of the %d bytes of its elements' % (position, size))
        position += n_read
    if file.read(1):        # reading to the end also verifies the checksum
        raise ValueError('it has data after its elements')


def holds_none(file, header):
    """Return whether the objects after a header are a None, without running their code.

    Parameters
    ----------
    file : file
        A file at the end of the header.
    header : Header
        The header, whose dtype contains objects.
    """
    if header.dtype != object or header.shape != ():
        return False
    pickled = file.read(_LONGEST_NONE + 1)
    return len(pickled) <= _LONGEST_NONE and is_pickled_none(pickled)
