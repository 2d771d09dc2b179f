"""Kernels and functions of the null device: they note their names, and return arrays.

What a call returns depends on the kinds of its arguments alone, and is remembered.
"""
import itertools
import operator

import numpy

from benchmarks.host.ledger import launch, refuse_capture
from benchmarks.host.null_arrays import fresh, ndarray
from benchmarks.host.null_kinds import Kind, plain

_SCALARS = {bool: '?', int: 'q', float: 'd', complex: 'D'}
_addresses = itertools.count(0x1000, 16)
_kind = operator.attrgetter('_kind')


def _keys(args):
    """Return the kinds of arrays, and the types of numbers."""
    try:
        return tuple(map(_kind, args))
    except AttributeError:
        return tuple([arg._kind if type(arg) is ndarray else type(arg)
                      for arg in args])


def _dtype(key):
    """Return the dtype of an argument, given its kind or the type of a number."""
    return numpy.dtype(
        key.dtype if isinstance(key, Kind) else _SCALARS.get(key, key))


# Kernels of code
#

def _parsed(params):
    """Return (type, whether it is raw) of parameters in CuPy's notation."""
    found = []
    for words in map(str.split, params.split(',')):
        if words:
            found.append((words[-2], 'raw' in words[:-2]))
    return found


class _Kernel:
    """What kernels of elements and of reductions have in common."""

    def __init__(self, in_params, out_params, name, return_tuple=False):
        self._in, self._out = _parsed(in_params), _parsed(out_params)
        self.nin, self.nout = len(self._in), len(self._out)
        self.nargs = self.nin + self.nout
        self.name = self.__name__ = name
        self._one = self.nout == 1 and not return_tuple
        self._memo = {}

    def _dtypes(self, keys):
        """Return the dtypes of the outputs."""
        letters = {}
        # Arrays come first: a number has their type.
        for key, (kind, _) in sorted(
                zip(keys, self._in, strict=True),
                key=lambda pair: not isinstance(pair[0], Kind)):
            letters.setdefault(kind, _dtype(key))
        return [letters[kind] if kind in letters else numpy.dtype(kind)
                for kind, _ in self._out]

    def _shape(self, keys):
        """Return the common shape of the arrays that are not raw."""
        return numpy.broadcast_shapes(*[
            key.shape for key, (_, raw) in zip(keys, self._in, strict=True)
            if isinstance(key, Kind) and not raw])

    def _new(self, kinds):
        if self._one:
            return fresh(kinds[0])
        return tuple([fresh(kind) for kind in kinds])


class ElementwiseKernel(_Kernel):

    def __init__(self, in_params, out_params, operation, name='kernel',
                 reduce_dims=True, preamble='', no_return=False, return_tuple=False,
                 **options):
        super().__init__(in_params, out_params, name, return_tuple)
        self._no_return = no_return

    def __call__(self, *args, size=None, stream=None, block_size=128):
        launch(self.name)
        if len(args) == self.nargs:
            if self._no_return:
                return None
            return args[-1] if self._one else args[self.nin:]
        keys = _keys(args)
        try:
            return self._new(self._memo[size, keys])
        except KeyError:
            shape = self._shape(keys) if size is None else (size,)
            kinds = [plain(shape, dtype) for dtype in self._dtypes(keys)]
        return self._new(self._memo.setdefault((size, keys), kinds))


class ReductionKernel(_Kernel):

    def __init__(self, in_params, out_params, map_expr, reduce_expr, post_map_expr,
                 identity, name='reduce_kernel', reduce_type=None, reduce_dims=True,
                 preamble='', options=()):
        super().__init__(in_params, out_params, name)

    def __call__(self, *args, out=None, axis=None, keepdims=False, stream=None):
        launch(self.name)
        if len(args) == self.nargs:
            return args[-1] if self._one else args[self.nin:]
        if out is not None:
            return out
        keys = _keys(args)
        try:
            return self._new(self._memo[axis, keepdims, keys])
        except KeyError:
            shape = _reduced(self._shape(keys), axis, keepdims)
            kinds = [plain(shape, dtype) for dtype in self._dtypes(keys)]
        return self._new(self._memo.setdefault((axis, keepdims, keys), kinds))


def _reduced(shape, axis, keepdims):
    """Return the shape of a reduction."""
    axes = range(len(shape)) if axis is None else (
        numpy.lib.array_utils.normalize_axis_tuple(axis, len(shape)))
    if keepdims:
        return tuple([1 if i in axes else n for i, n in enumerate(shape)])
    return tuple([n for i, n in enumerate(shape) if i not in axes])


class Function:
    """A compiled function of the driver, with a unique address."""

    def __init__(self):
        self.ptr = next(_addresses)


class RawKernel:

    def __init__(self, code, name, options=(), backend='nvrtc', **others):
        self.code, self.name, self.options = code, name, options
        self.kernel = Function()

    def compile(self, log_stream=None):
        pass

    def __call__(self, grid, block, args, *, shared_mem=0, stream=None):
        launch(self.name)


class RawModule:

    def __init__(self, *, code=None, options=(), **others):
        self.code, self.options = code, options

    def compile(self, log_stream=None):
        pass

    def get_function(self, name):
        return RawKernel(self.code, name, self.options)


# Universal functions, reductions and products
#

class ufunc:
    """A universal function with the types that NumPy's has."""

    def __init__(self, name, function):
        self.name = self.__name__ = name
        self._function, self._memo = function, {}

    def __call__(self, *args, out=None, dtype=None, casting='same_kind'):
        launch(self.name)
        if len(args) > self._function.nin:
            out = args[-1]
        if out is not None:
            return out
        keys = dtype, _keys(args)
        try:
            return fresh(self._memo[keys])
        except KeyError:
            kind = self._memo[keys] = self._kind(dtype, args)
        return fresh(kind)

    def _kind(self, dtype, args):
        shape = numpy.broadcast_shapes(
            *[arg.shape for arg in args if isinstance(arg, ndarray)])
        ones = [numpy.ones((1,) * min(arg.ndim, 1), arg.dtype)
                if isinstance(arg, ndarray) else arg for arg in args]
        with numpy.errstate(all='ignore'):
            return plain(shape, dtype or self._function(*ones).dtype)


def _reduction(name):
    function, memo = getattr(numpy, name), {}

    def reduce(a, axis=None, dtype=None, out=None, keepdims=False):
        launch(name)
        if out is not None:
            return out
        key = a._kind, axis, dtype, keepdims
        try:
            return fresh(memo[key])
        except KeyError:
            memo[key] = plain(
                _reduced(a.shape, axis, keepdims),
                dtype or numpy.asarray(function(numpy.ones(1, a.dtype))).dtype)
        return fresh(memo[key])
    reduce.__name__ = name
    return reduce


def _product(name, shape_of):
    """Return a product by cuBLAS, whose copies of operands are not counted."""
    memo = {}

    def multiply(a, b, out=None):
        refuse_capture('cuBLAS')
        launch(name)
        if out is not None:
            return out
        key = a._kind, b._kind
        try:
            return fresh(memo[key])
        except KeyError:
            if a.shape[-1] != b.shape[max(b.ndim - 2, 0)]:
                raise ValueError(
                    'Axis dimension mismatch: %s and %s' % (a.shape, b.shape))
            memo[key] = plain(
                shape_of(a.shape, b.shape), numpy.promote_types(a.dtype, b.dtype))
        return fresh(memo[key])
    multiply.__name__ = name
    return multiply


def _dot_shape(a, b):
    return a[:-1] + b[:-2] + b[-1:] * (len(b) > 1)


def _matmul_shape(a, b):
    batch = numpy.broadcast_shapes(a[:-2], b[:-2])
    return batch + a[-2:-1] + b[-1:] * (len(b) > 1)


UFUNCS = {name: ufunc(name, f) for name, f in vars(numpy).items()
          if isinstance(f, numpy.ufunc) and name != 'matmul'}
EXPORTS = {**UFUNCS, **{f.__name__: f for f in (
    ElementwiseKernel, ReductionKernel, RawKernel, RawModule, ufunc)}}
_METHODS = {name: _reduction(name) for name in (
    'sum', 'prod', 'mean', 'max', 'min', 'all', 'any', 'argmax', 'argmin')}
_METHODS['dot'] = _product('dot', _dot_shape)
EXPORTS.update(_METHODS, amax=_METHODS['max'], amin=_METHODS['min'],
               matmul=_product('matmul', _matmul_shape))

for _name, _method in _METHODS.items():
    setattr(ndarray, _name, _method)


def _operator(function, swapped=False, in_place=False):
    def method(self, other):
        # What has a higher priority has the reflected operator.
        if type(other) is not ndarray and (
                getattr(other, '__array_priority__', 0) > 100):
            return NotImplemented
        if in_place:
            return function(self, other, out=self)
        return function(other, self) if swapped else function(self, other)
    return method


for _name, _function in {
        'add': 'add', 'sub': 'subtract', 'mul': 'multiply', 'truediv': 'true_divide',
        'floordiv': 'floor_divide', 'mod': 'remainder', 'pow': 'power',
        'matmul': 'matmul', 'and': 'bitwise_and', 'or': 'bitwise_or',
        'xor': 'bitwise_xor'}.items():
    _function = EXPORTS[_function]
    setattr(ndarray, '__%s__' % _name, _operator(_function))
    setattr(ndarray, '__r%s__' % _name, _operator(_function, swapped=True))
    setattr(ndarray, '__i%s__' % _name, _operator(_function, in_place=True))
for _name, _function in {
        'lt': 'less', 'le': 'less_equal', 'gt': 'greater', 'ge': 'greater_equal',
        'eq': 'equal', 'ne': 'not_equal'}.items():
    setattr(ndarray, '__%s__' % _name, _operator(UFUNCS[_function]))
for _name, _function in {
        'neg': 'negative', 'abs': 'absolute', 'invert': 'invert'}.items():
    setattr(ndarray, '__%s__' % _name, lambda self, f=UFUNCS[_function]: f(self))
