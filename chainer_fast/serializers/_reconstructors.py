"""Safe replacements of what pickles call to make arrays, dtypes, devices, etc.

NumPy's own functions trust their arguments: a dtype or a random state of a damaged or
malicious file makes them read memory out of bounds. These functions check their
arguments and return the same objects.
"""
import collections
import functools
import re
from typing import Any

import numpy

from chainer_fast.backends import cuda
from chainer_fast.backends._cpu import CpuDevice

_DTYPE = re.compile(r'[<>=|]?[a-zA-Z?]\d*')
_UNIT = re.compile(r'[a-zA-Z]+')


def _encode(text, encoding):
    """The bytes of a pickle of Python 3 for Python 2."""
    if not isinstance(text, str) or encoding not in ('latin1', 'latin-1'):
        raise ValueError('bytes in an encoding that is not latin1')
    return text.encode('latin1')


def _bytes(*args):
    if args:
        raise ValueError('bytes() accepts no arguments in a pickle')
    return b''


# ---- NumPy


def dtype(spec, *flags):
    """Make a dtype from a string such as ``'f4'``; its state is set later."""
    if not isinstance(spec, str) or not _DTYPE.fullmatch(spec):
        raise ValueError('no dtype of arrays: %r' % (spec,))
    # Pickles contain O8 and b1.
    return numpy.dtype('O' if spec[0] == 'O' else spec)


def dtype_with_state(base, state):
    """Return the dtype with a state, in the form of ``dtype.__setstate__``."""
    _, order, subdtype, names, fields, size, alignment, _, *metadata = state
    if subdtype is not None:
        inner, shape = subdtype
        if not isinstance(inner, numpy.dtype):
            raise ValueError('a dtype of %r' % (inner,))
        return numpy.dtype((inner, tuple(shape)))
    if names is not None:
        columns = [fields[name] for name in names]
        if any(not isinstance(column[0], numpy.dtype) for column in columns):
            raise ValueError('a column without a dtype')
        return numpy.dtype({
            'names': list(names), 'formats': [column[0] for column in columns],
            'offsets': [column[1] for column in columns], 'itemsize': size})
    if base.kind in 'mM' and metadata:
        unit, count = metadata[0][-1][:2] if isinstance(
            metadata[0][-1], tuple) else metadata[0][:2]
        unit = unit.decode('latin1') if isinstance(unit, bytes) else unit
        if not _UNIT.fullmatch(unit):
            raise ValueError('no unit of time: %r' % (unit,))
        base = numpy.dtype('%s8[%d%s]' % (base.kind, count, unit))
    if base.kind in 'SUV' and size >= 0:
        base = numpy.dtype('%s%d' % (
            base.kind, size // 4 if base.kind == 'U' else size))
    if order not in ('<', '>', '|', '='):
        raise ValueError('no byte order: %r' % (order,))
    if order == '|':
        return base
    # NumPy displays '<' and '=' differently, though both are equal.
    ordered = base.newbyteorder(order)
    return ordered.newbyteorder('=') if ordered.isnative else ordered


def _of_numbers(kind):
    if not isinstance(kind, numpy.dtype) or kind.hasobject:
        raise ValueError('an array of %r' % (kind,))
    return kind


def _new_array(kind, shape, code):
    """An empty array, whose state is set next."""
    if kind is not numpy.ndarray:
        raise ValueError('arrays of the class %r' % (kind,))
    return numpy.empty(0, numpy.int8)


def array_state(state):
    """Return the state of an array, checked."""
    version, shape, kind, is_fortran, data = state
    shape = tuple(int(n) for n in shape)
    if not isinstance(kind, numpy.dtype) or any(n < 0 for n in shape):
        raise ValueError('an array of %r and shape %r' % (kind, shape))
    size = 1
    for n in shape:
        size *= n
    if kind.hasobject:
        if kind != numpy.dtype(object) or not isinstance(data, list):
            raise ValueError('objects inside of a structure')
    else:
        # Strings are the bytes of Python 2.
        data = data.encode('latin1') if isinstance(data, str) else bytes(data)
        size *= kind.itemsize
    if len(data) != size:
        raise ValueError('%d items for an array of %d' % (len(data), size))
    return version, shape, kind, bool(is_fortran), data


def _array_of_buffer(buffer, kind, shape, order):
    array = numpy.frombuffer(buffer, _of_numbers(kind))
    return array.reshape(shape, order=order)


def _scalar(kind, data=b''):
    data = data.encode('latin1') if isinstance(data, str) else data
    return numpy.frombuffer(data, _of_numbers(kind), 1)[0]


class Ignored:
    """Represents a part of a random state that is stored twice."""


def _random_state(*parts):
    return numpy.random.RandomState()


def _ignored(*parts):
    return Ignored()


def set_random_state(random, state):
    """Set the state of a RandomState if it is valid."""
    if isinstance(state, dict):
        inner = state['state']
        state = (state['bit_generator'], inner['key'], inner['pos'],
                 state['has_gauss'], state['gauss'])
    kind, key, position, has_gauss, gauss = state
    if kind != 'MT19937' or not 0 <= position <= 624:
        raise ValueError('no state of a random number generator')
    random.set_state((kind, numpy.asarray(key), int(position), int(has_gauss),
                      float(gauss)))


# ---- GPUs


def _cupy_array(array, *args):
    """An array of CuPy, or of NumPy without a GPU."""
    return cuda.to_gpu(array) if cuda.available else array


class NumberedDevice:
    """Represents a device of CuPy."""

    def __init__(self, number=0, *args):
        self.number = number


def gpu_device(number):
    """Return the device of a GPU, or that of NumPy without a GPU."""
    if isinstance(number, NumberedDevice):
        number = number.number
    return cuda.GpuDevice.from_device_id(number) if cuda.available else CpuDevice()


def _attribute(owner, name):
    """The only attribute that pickles read: the lookup of a GPU by number."""
    if owner is cuda.GpuDevice and name == 'from_device_id':
        return gpu_device
    raise ValueError('getattr of %r' % (owner,))


# ---- Python


_BASES = int, float, str, bytes, list, tuple, dict, set, frozenset


def new_object(cls, *args):
    """Make an object like ``copyreg.__newobj__``."""
    return cls.__new__(cls, *args)


def reconstructed(cls, base, value):
    """An object of a pickle of the protocols 0 and 1."""
    if base is object:
        return cls.__new__(cls)
    if base not in _BASES:
        raise ValueError('an object made from %r' % (base,))
    obj = base.__new__(cls, value)
    base.__init__(obj, value)
    return obj


# Callables, which get the arguments in the file.
CALLS: dict[Any, Any] = {
    **{('copyreg', name): function for name, function in (
        ('_reconstructor', reconstructed), ('__newobj__', new_object))},
    **{('builtins', kind.__name__): kind for kind in (
        set, frozenset, complex, slice, range, bytearray)},
    **{('collections', kind.__name__): kind for kind in (
        collections.OrderedDict, collections.defaultdict, collections.deque,
        collections.Counter)},
    ('builtins', 'bytes'): _bytes,
    ('builtins', 'getattr'): _attribute,
    ('_codecs', 'encode'): _encode,
    ('functools', 'partial'): functools.partial,
    ('numpy', 'dtype'): dtype,
    ('numpy.random', '__RandomState_ctor'): _random_state,
    ('numpy.random._pickle', '__randomstate_ctor'): _random_state,
    ('numpy.random._pickle', '__bit_generator_ctor'): _ignored,
    ('numpy.random.bit_generator', '__pyx_unpickle_SeedSequence'): _ignored,
    ('cupy.cuda.device', 'Device'): NumberedDevice,
}
for _package in 'numpy.core', 'numpy._core':
    CALLS.update({
        (_package + '.multiarray', '_reconstruct'): _new_array,
        (_package + '.multiarray', 'scalar'): _scalar,
        (_package + '.numeric', '_frombuffer'): _array_of_buffer})
for _package in 'cupy.core.core', 'cupy._core.core':
    CALLS[_package, 'array'] = _cupy_array

# Names in states of objects, or in arguments of the above.
VALUES: dict[Any, Any] = {
    **{('builtins', kind.__name__): kind for kind in (
        object, int, float, complex, bool, str, bytes, bytearray, list, tuple, dict,
        set, frozenset)},
    ('builtins', 'Ellipsis'): Ellipsis,
    ('builtins', 'NotImplemented'): NotImplemented,
    ('numpy', 'ndarray'): numpy.ndarray,
    ('numpy.random._mt19937', 'MT19937'): Ignored,
    ('numpy.random.bit_generator', 'SeedSequence'): Ignored,
    **{('numpy', kind.__name__): kind for kind in (
        numpy.bool_, numpy.int8, numpy.int16, numpy.int32, numpy.int64, numpy.uint8,
        numpy.uint16, numpy.uint32, numpy.uint64, numpy.float16, numpy.float32,
        numpy.float64, numpy.complex64, numpy.complex128)},
}
for _name in 'gt', 'lt':
    for _package in 'operator', '_operator':
        VALUES[_package, _name] = getattr(__import__('operator'), _name)

# Modules of Python 2, and names in its builtins.
OLD_MODULES = {'__builtin__': 'builtins', 'copy_reg': 'copyreg'}
OLD_NAMES = {'unicode': 'str', 'long': 'int', 'xrange': 'range'}
