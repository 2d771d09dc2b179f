"""Universal functions: types as CuPy chooses them, values by NumPy or in C."""
import numpy

from tests.doubles.host_cupy import versions
from tests.doubles.host_cupy.array import (
    array_operand,
    fresh,
    ledger_launch,
    ndarray,
    operand,
    routines,
    wrap,
)

_SCATTERS = {'add': 'ilefdILqQ', 'subtract': 'iI', 'maximum': 'ilfdILqQ',
             'minimum': 'ilfdILqQ', 'bitwise_and': 'ilILqQ', 'bitwise_or': 'ilILqQ',
             'bitwise_xor': 'ilILqQ'}
_WEAK = {int: int, float: float, complex: complex}


class ufunc:
    """A universal function of CuPy.

    Parameters
    ----------
    name : str
    compute : callable
        Function of NumPy or SciPy of the same arguments.
    types : list of str
        CuPy's types, e.g. ``'ff->f'``, in its order.
    nep50 : bool
        Whether scalars of NumPy have types, as from CuPy 14 on.
    other : list of str, optional
        The types of the other version.
    """

    def __init__(self, name, compute, types, nin, nout, nep50, other=None):
        self.name = 'cupy_' + name
        self.__name__ = name
        self.types = types
        self.nin, self.nout, self.nargs = nin, nout, nin + nout
        self._compute = compute
        self._ops = [tuple(t.split('->')) for t in types]
        self._nep50 = nep50
        # The same function of the other version.
        self._other = None if other is None else ufunc(
            name, compute, other, nin, nout, not nep50)

    def __repr__(self):
        return "<ufunc '%s'>" % self.name

    def __call__(self, *args, **kwargs):
        out = kwargs.pop('out', None)
        where = kwargs.pop('_where', None)
        dtype = kwargs.pop('dtype', None)
        casting = kwargs.pop('casting', 'same_kind')
        if kwargs:
            raise TypeError('Wrong arguments %s' % kwargs)
        if not self.nin <= len(args) <= self.nargs:
            raise TypeError(
                'Wrong number of arguments for %r. It must be either %d or %d (with '
                'outputs), but given %d.'
                % (self.name, self.nin, self.nargs, len(args)))
        outs = args[self.nin:]
        if out is not None:
            if outs:
                raise ValueError("Cannot specify 'out' as both a positional and "
                                 'keyword argument')
            outs = out if isinstance(out, tuple) else (out,)
        outs = [o for o in outs if o is not None]
        ins = [operand(x) for x in args[:self.nin]]
        out_hosts = [operand(o) for o in outs]
        for o in outs:
            if not isinstance(o, ndarray):
                raise TypeError('return arrays must be of ArrayType')
        for i, x in enumerate(args[:self.nin]):
            if isinstance(x, ndarray) and any(
                    x is not o and numpy.may_share_memory(x._host, o._host)
                    for o in outs):
                ledger_launch('copy', x.size)
                ins[i] = ins[i].copy()
        in_types, out_types = op = self._op(ins, dtype)
        if not self._agrees(ins, dtype, op):
            versions.note()
        arrays = [x for x in ins if isinstance(x, numpy.ndarray)]
        shape = numpy.broadcast_shapes(*[x.shape for x in arrays + out_hosts])
        for o in out_hosts:
            if o.shape != shape:
                raise ValueError('Out shape is mismatched')
            for t in out_types:
                if not numpy.can_cast(t, o.dtype, casting):
                    raise TypeError(
                        'output (typecode %r) could not be coerced to provided output '
                        'parameter (typecode %r) according to the casting rule "%s"'
                        % (t, o.dtype.char, casting))
        results = out_hosts or [fresh(shape, t) for t in out_types]
        ledger_launch(self.__name__, results[0].size)
        with numpy.errstate(all='ignore'):
            values = self._values(ins, in_types, shape)
            if where is not None:
                where = operand(where)
            for result, value in zip(results, values, strict=True):
                value = numpy.asarray(value)
                if result.dtype.kind != 'c' and value.dtype.kind == 'c':
                    value = value.real
                if where is None:
                    result[...] = value.astype(result.dtype, copy=False)
                else:
                    numpy.copyto(result, value.astype(result.dtype), where=where)
        final = outs or [wrap(r) for r in results]
        return final[0] if self.nout == 1 else tuple(final)

    def _values(self, ins, in_types, shape):
        cast = []
        for x, t in zip(ins, in_types, strict=True):
            if isinstance(x, numpy.ndarray):
                cast.append(x.astype(t, copy=False))
            elif self._nep50:
                cast.append(numpy.asarray(x).astype(t) if isinstance(x, numpy.generic)
                            else _converted(x, t))
            else:
                cast.append(numpy.asarray(x).astype(t))
        cast = [x if isinstance(x, numpy.ndarray) else numpy.asarray(x) for x in cast]
        values = self._compute(*cast)
        return values if self.nout > 1 else (values,)

    def _agrees(self, ins, dtype, op):
        """Return whether the other version has the same types for the operands."""
        if self._other is None:
            return False
        try:
            return self._other._op(ins, dtype) == op
        except TypeError:
            return False

    def _op(self, ins, dtype):
        if dtype is not None:
            char = numpy.dtype(dtype).char
            for op_in, op_out in self._ops:
                if all(numpy.dtype(t) == numpy.dtype(char) for t in op_out):
                    return op_in, op_out
            raise TypeError('Wrong type (%s) of arguments for %s' % (dtype, self.name))
        candidates = self._candidates(ins)
        for op_in, op_out in self._ops:
            if all(can(t) for can, t in zip(candidates, op_in, strict=True)):
                return op_in, op_out
        raise TypeError('Wrong type (%s) of arguments for %s' % (
            tuple(type(x) if not isinstance(x, numpy.ndarray) else x.dtype
                  for x in ins), self.name))

    def _candidates(self, ins):
        """Return for each input the test of whether a type can take it."""
        def kind(x):
            return 'biufc'.index(_scalar_dtype(x).kind.replace('u', 'i'))
        arrays = [x for x in ins if isinstance(x, numpy.ndarray)]
        scalars = [x for x in ins if not isinstance(x, numpy.ndarray)]
        weak = (arrays and scalars
                and max(map(kind, arrays)) >= max(map(kind, scalars)))
        tests = []
        for x in ins:
            if isinstance(x, numpy.ndarray):
                tests.append(lambda t, d=x.dtype: numpy.can_cast(d, t))
            elif self._nep50:
                tests.append(_weak_test(x, weak))
            elif weak:
                tests.append(_min_scalar_test(x))
            else:
                dtype = _scalar_dtype(x)
                tests.append(lambda t, d=dtype: numpy.can_cast(d, t))
        return tests

    def outer(self, A, B, **kwargs):
        a, b = routines['array'](A), routines['array'](B)
        return self(a.reshape(a.shape + (1,) * b.ndim),
                    b.reshape((1,) * a.ndim + b.shape), **kwargs)

    def at(self, a, indices, b=None):
        if self.__name__ not in _SCATTERS:
            raise NotImplementedError('`%s.at` is not supported yet' % self.name)
        array_operand(a)
        if a.dtype.char not in _SCATTERS[self.__name__]:
            if a.dtype.char in 'lq':
                versions.note()
                if not self._nep50:
                    return self._scatter(a, indices, b)
            raise TypeError('cupy.%s.at does not support %s' % (self.__name__, a.dtype))
        self._scatter(a, indices, b)

    def _scatter(self, a, indices, b):
        routines['_scatter'](a, indices, b, getattr(numpy, self.__name__))

    def reduce(self, array, axis=0, dtype=None, out=None, keepdims=False):
        name = {'add': 'sum', 'multiply': 'prod'}.get(self.__name__)
        if name is None:
            raise NotImplementedError('`%s.reduce` is not supported yet' % self.name)
        return getattr(array, name)(axis, dtype, out, keepdims)

    def accumulate(self, array, axis=0, dtype=None, out=None):
        name = {'add': 'cumsum', 'multiply': 'cumprod'}.get(self.__name__)
        if name is None:
            raise NotImplementedError(
                '`%s.accumulate` is not supported yet' % self.name)
        return getattr(array, name)(axis, dtype, out)

    def reduceat(self, array, indices, axis=0, dtype=None, out=None):
        raise NotImplementedError('the stand-in has no reduceat')


def _converted(x, dtype):
    """Return a number of Python as an array, or raise if it is out of range."""
    try:
        return numpy.array(x, dtype)
    except OverflowError:
        versions.note()     # earlier ones wrap around
        raise


def _scalar_dtype(x):
    if type(x) is int:
        return numpy.dtype('Q' if x >= 1 << 63 else 'q')
    return numpy.asarray(x).dtype


def _weak_test(x, weak):
    dtype = _scalar_dtype(x)
    python = _WEAK.get(type(x)) if weak else None

    def test(t):
        if numpy.can_cast(dtype, t):
            return True
        if python is None:
            return False
        try:
            return numpy.result_type(python(0), numpy.dtype(t)) == numpy.dtype(t)
        except TypeError:
            return False
    return test


def _min_scalar_test(x):
    dtype = numpy.min_scalar_type(x)
    candidates = [dtype]
    if dtype.kind == 'u':
        signed = numpy.dtype(dtype.char.lower())
        if x <= numpy.iinfo(signed).max:
            candidates.append(signed)
    return lambda t: any(numpy.can_cast(d, t) for d in candidates)
