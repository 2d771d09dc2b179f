"""Arguments of kernels: their types and shapes, what C++ calls them, their bytes."""
import ctypes
import math
import re

import numpy

from tests.doubles.host_cupy.array import check_device, ndarray

_C_TYPES = {
    'float64': 'double', 'float32': 'float', 'float16': 'float16',
    'int64': 'long long', 'int32': 'int', 'int16': 'short', 'int8': 'signed char',
    'uint64': 'unsigned long long', 'uint32': 'unsigned int',
    'uint16': 'unsigned short', 'uint8': 'unsigned char', 'bool': 'bool'}


def c_type(name):
    """Return the type in C++ for the name of a dtype."""
    if name not in _C_TYPES:
        raise NotImplementedError('kernels of the stand-in for %s' % name)
    return _C_TYPES[name]


class Param:
    """A parameter in CuPy's notation, such as ``'raw T x'``."""

    def __init__(self, text, is_const):
        words = text.split()
        if len(words) < 2:
            raise Exception('Syntax error: %s' % text)
        kind, self.name = words[-2:]
        self.letter = self.dtype = None
        if len(kind) == 1:
            self.letter = self.c_type = kind
        else:
            self.dtype = numpy.dtype(kind)
            if self.dtype.name != kind:
                raise ValueError('Wrong type %s' % kind)
            self.c_type = c_type(kind)
        self.raw = False
        self.const = is_const
        for word in words[:-2]:
            if word == 'raw':
                self.raw = True
            elif word == '_non_const':
                self.const = False
            else:
                raise Exception('Unknown keyword "%s"' % word)


def parse(text, is_const):
    """Return the parameters of a list such as ``'raw T x, int32 n'``."""
    return [Param(each, is_const) for each in text.strip().split(',')] if text else []


def check_name(name):
    """Refuse names of kernels that C++ does not take."""
    if not re.match(r'[a-zA-Z_][a-zA-Z_0-9]*\Z', name):
        raise ValueError('Invalid kernel name: "%s"' % name)


def check_arguments(args):
    """Refuse what CuPy does not take: anything but its arrays and plain numbers."""
    for arg in args:
        if isinstance(arg, ndarray):
            check_device(arg)
        elif type(arg) not in (int, float, bool, complex) and not isinstance(
                arg, numpy.generic):
            raise TypeError('Unsupported type %s' % type(arg))


def decide_types(in_params, out_params, in_args, out_args):
    """Return the dtypes of all parameters, and of letters. Numbers have no say."""
    letters = {}
    if not all(isinstance(arg, ndarray) for arg in out_args):
        raise TypeError('Output arguments type must be cupy.ndarray')
    for param, arg in [*zip(out_params, out_args, strict=False),
                       *zip(in_params, in_args, strict=True)]:
        if isinstance(arg, ndarray):
            expected = param.dtype or letters.setdefault(param.letter, arg.dtype)
            if arg.dtype != expected:
                raise TypeError('Type is mismatched. %s %s %s %s' % (
                    param.name, arg.dtype, expected, param.c_type))
    # KeyError: no array has decided the letter.
    types = [param.dtype or letters[param.letter] for param in in_params + out_params]
    return types, dict(sorted(letters.items()))


class Number(numpy.ndarray):
    """A number, converted to the type of its parameter."""


def number(value, dtype):
    """Return a number of a type; OverflowError if it does not fit."""
    out = numpy.empty((), dtype)
    out[()] = value
    return out.view(Number)


def numbers(values, types):
    """Return the arguments with numbers converted, and arrays as they are."""
    return [value if isinstance(value, numpy.ndarray) else number(value, dtype)
            for value, dtype in zip(values, types, strict=True)]


def outputs(params, args, types, shape, size_is_given):
    """Return the output arrays: those given, of the right shape, or new ones."""
    if args:
        for param, arg in zip(params, args, strict=True):
            if not param.raw and arg.shape != shape:
                raise ValueError('Out shape is mismatched')
        return args
    if not size_is_given and any(param.raw for param in params):
        raise ValueError('Output array size is Undecided')
    new = [ndarray(shape, dtype) for dtype in types]
    for array in new:
        # What a kernel leaves out must not happen to be right.
        array._host.fill(numpy.iinfo(array.dtype).max if array.dtype.kind in 'iu'
                         else numpy.nan)
    return new


def broadcast(params, args):
    """Return the arguments with NumPy arrays, and the shape of those not raw.

    The shape is None if there are none.
    """
    values = [arg._host if isinstance(arg, ndarray) else arg for arg in args]
    plain = [i for i, arg in enumerate(args)
             if isinstance(arg, ndarray) and not params[i].raw]
    if not plain:
        return values, None
    shape = numpy.broadcast_shapes(*[values[i].shape for i in plain])
    for i in plain:
        value = values[i]
        missing = len(shape) - value.ndim
        strides = [
            0 if size == 1 and wanted != 1 else stride for size, stride, wanted in zip(
                (1,) * missing + value.shape, (0,) * missing + value.strides, shape,
                strict=True)]
        values[i] = _view(value, shape, strides)
    return values, shape


def _view(array, shape, strides):
    return numpy.lib.stride_tricks.as_strided(array, shape, strides)


def merge_axes(params, values, shape):
    """Merge axes of the arrays where the memory of all allows it, in place.

    Return the new shape. CuPy does so unless the kernel has ``reduce_dims=False``.
    """
    plain = [i for i, value in enumerate(values)
             if not params[i].raw and not isinstance(value, Number)]
    if len(shape) <= 1 or not plain:
        return shape
    strided = [values[i] for i in plain if not values[i].flags.c_contiguous]
    if not strided:
        for i in plain:
            values[i] = _view(values[i], (values[i].size,), (values[i].itemsize,))
        return (values[plain[0]].size,)
    if len(shape) == 2 and len(values) > 1:
        return shape
    sizes, axes, last = list(shape), [], -1
    for axis, size in enumerate(shape):
        if size == 1:
            continue
        if last >= 0:
            if all(a.strides[axis] * size == a.strides[last] for a in strided):
                sizes[axis] *= sizes[last]
            else:
                axes.append(last)
        last = axis
    if last >= 0:
        axes.append(last)
    if len(axes) == len(shape):
        return shape
    shape = tuple(sizes[axis] for axis in axes)
    for i in plain:
        values[i] = _view(values[i], shape, [values[i].strides[axis] for axis in axes])
    return shape


def describe(values):
    """Return what code depends on: kind and dtype; axes and contiguity of arrays."""
    return tuple(
        ('number', value.dtype.name) if isinstance(value, Number) else
        ('array', value.dtype.name, value.ndim, bool(value.flags.c_contiguous))
        for value in values)


def declarations(params, kinds):
    """Return the parameters of the function in C++."""
    lines = []
    for param, kind in zip(params, kinds, strict=True):
        text = c_type(kind[1])
        name = param.name
        if kind[0] == 'array':
            text = 'CArray<%s, %d, %d, 1>' % (text, kind[2], kind[3])
            if not param.raw:
                name = '_raw_' + name
        lines.append('%s%s %s' % ('const ' if param.const else '', text, name))
    return ', '.join(lines)


def references(params, kinds, indexer):
    """Return the statements that name the elements of arrays."""
    return '\n'.join(
        '%s%s &%s = _raw_%s[%s.get()];' % (
            'const ' if param.const else '', param.c_type, param.name, param.name,
            indexer)
        for param, kind in zip(params, kinds, strict=True)
        if kind[0] == 'array' and not param.raw)


def typedefs(letters):
    """Return the definitions of letters."""
    return ''.join('typedef %s %s;\n' % (c_type(dtype.name), letter)
                   for letter, dtype in letters.items())


def headers(kinds, letters):
    """Return the headers that CuPy includes. CuPy 14 has float16 only if it is used."""
    names = [kind[1] for kind in kinds] + [dtype.name for dtype in letters.values()]
    return ('cuda', *['float16'] * ('float16' in names), 'carray')


def check_pointers(name, params, values, code):
    """Refuse ``&x[i]`` where the elements of x do not lie one after the other."""
    for param, value in zip(params, values, strict=True):
        if param.raw and not isinstance(value, Number) and value.size > 1 and (
                not value.flags.c_contiguous) and re.search(
                    r'(?:^|[^\w)\]&\s])\s*&\s*%s\s*\[' % param.name, code):
            raise ValueError(
                'kernel %r takes the address of an element of %r, which is not '
                'contiguous: shape %s, strides %s. Index the array, or pass a '
                'contiguous one.' % (name, param.name, value.shape, value.strides))


def pack(values):
    """Return the bytes of arguments, laid out as in carray.hpp."""
    return [
        value.tobytes() if isinstance(value, Number) else
        _integers(value.ctypes.data, value.size, *value.shape, *value.strides)
        for value in values]


def pack_indexer(shape):
    """Return the bytes of the ``CIndexer`` of a shape."""
    return _integers(math.prod(shape), *shape, *[0] * len(shape))


def _integers(*values):
    return bytes((ctypes.c_longlong * len(values))(*values))
