"""Elements by conditions and by computed positions."""
import numpy

from tests.doubles.host_cupy import ledger
from tests.doubles.host_cupy.array import (
    array_operand,
    ledger_launch,
    ndarray,
    operand,
    view,
    wrap,
)
from tests.doubles.host_cupy.creation import array, asarray
from tests.doubles.host_cupy.indexing import nonzero, take
from tests.doubles.host_cupy.manipulation import array_operand_any_device
from tests.doubles.host_cupy.registry import method, routine


@routine
def compress(condition, a, axis=None, out=None):
    condition = asarray(condition)
    return take(a, nonzero(condition)[0], axis, out)


@method
def compress_(self, condition, axis=None, out=None):
    return compress(condition, self, axis, out)


@routine
def extract(condition, a):
    return take(a.ravel(), nonzero(asarray(condition).ravel())[0])


@routine
def choose(a, choices, out=None, mode='raise'):
    host = array_operand(a)
    if isinstance(choices, ndarray):
        choices = list(choices)
    hosts = [array_operand(c) for c in choices]
    if mode == 'raise':
        ledger.synchronise('choose(mode="raise")')
    result = numpy.asarray(numpy.choose(host, hosts, mode=mode))
    ledger_launch('choose', result.size)
    if out is None:
        return wrap(result)
    array_operand(out)[...] = result
    return out


method(choose)


@routine
def select(condlist, choicelist, default=0):
    conditions = [array_operand(c) for c in condlist]
    choices = [operand(c) for c in choicelist]
    result = numpy.select(conditions, choices, operand(default))
    ledger_launch('full', result.size)
    for _ in conditions:
        ledger_launch('where', result.size)
    return wrap(result)


@routine
def putmask(a, mask, values):
    host = array_operand(a)
    if not isinstance(values, ndarray):
        values = array(values)
    ledger_launch('putmask', a.size)
    numpy.putmask(host, array_operand(mask), array_operand(values))


@routine
def place(arr, mask, vals):
    ledger_launch('place', arr.size)
    ledger.synchronise('place')
    numpy.place(array_operand(arr), array_operand(mask),
                operand(vals) if isinstance(vals, ndarray) else vals)


@routine
def fill_diagonal(a, val, wrap=False):
    ledger_launch('fill_diagonal', a.size)
    numpy.fill_diagonal(array_operand(a), operand(val), wrap)


@routine
def diag_indices(n, ndim=2):
    ledger_launch('arange', n)
    return (wrap(numpy.arange(n)),) * ndim


@routine
def diag_indices_from(arr):
    return diag_indices(arr.shape[0], arr.ndim)


def _tri_indices(name):
    f = getattr(numpy, name)

    def g(n, k=0, m=None):
        ledger.launch('tri')
        ledger.synchronise(name)
        ledger.launch('nonzero')
        return tuple([wrap(i) for i in f(n, k, m)])
    g.__name__ = name
    routine(g)


_tri_indices('tril_indices')
_tri_indices('triu_indices')


@routine
def indices(dimensions, dtype=int):
    result = numpy.indices(dimensions, dtype)
    ledger_launch('indices', result.size)
    return wrap(result)


@routine
def ix_(*args):
    return tuple([view(a, h) for a, h in zip(
        args, numpy.ix_(*[array_operand_any_device(a) for a in args]), strict=True)])


@routine
def unravel_index(indices, dims, order='C'):
    result = numpy.unravel_index(array_operand(indices), dims, order)
    for r in result:
        ledger_launch('unravel_index', numpy.size(r))
    return tuple([wrap(numpy.asarray(r)) for r in result])


@routine
def ravel_multi_index(multi_index, dims, mode='wrap', order='C'):
    result = numpy.ravel_multi_index(
        [array_operand(i) for i in multi_index], dims, mode, order)
    ledger.launch('ravel_multi_index')
    return wrap(numpy.asarray(result))
