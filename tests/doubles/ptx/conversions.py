"""Comparisons, choices and conversions."""
import numpy

from tests.doubles.ptx import kinds, rounding
from tests.doubles.ptx.decode import makes
from tests.doubles.ptx.floats import DIRECTIONS

_WHOLE = {'rni': numpy.rint, 'rzi': numpy.trunc, 'rmi': numpy.floor, 'rpi': numpy.ceil}
_COMPARISONS = {
    'eq': numpy.equal, 'ne': numpy.not_equal, 'lt': numpy.less, 'le': numpy.less_equal,
    'gt': numpy.greater, 'ge': numpy.greater_equal}
_UNSIGNED = {'lo': 'lt', 'ls': 'le', 'hi': 'gt', 'hs': 'ge'}
_JOINS = {'and': numpy.logical_and, 'or': numpy.logical_or, 'xor': numpy.logical_xor}


def _comparison(statement, kind, name):
    """Return a function of two arrays."""
    if kind[0] == 'f':
        if name in ('num', 'nan'):
            return lambda a, b: (numpy.isnan(a) | numpy.isnan(b)) == (name == 'nan')
        if name[-1] == 'u' and name[:-1] in _COMPARISONS:
            # True of NaN as well.
            opposite = {'eq': 'ne', 'ne': 'eq', 'lt': 'ge', 'le': 'gt', 'gt': 'le',
                        'ge': 'lt'}
            if name == 'neu':
                return numpy.not_equal
            if name == 'equ':
                return lambda a, b: (a == b) | numpy.isnan(a) | numpy.isnan(b)
            function = _COMPARISONS[opposite[name[:-1]]]
            return lambda a, b: ~function(a, b)
        if name == 'ne':
            return lambda a, b: (a != b) & ~numpy.isnan(a) & ~numpy.isnan(b)
    elif name in _UNSIGNED and kind[0] == 'u':
        name = _UNSIGNED[name]
    if name not in _COMPARISONS or kind[0] == 'b' and name not in ('eq', 'ne'):
        raise statement.unknown()
    return _COMPARISONS[name]


@makes('setp', 'set')
def compare(statement):
    kind = statement.kind()
    if kind in ('pred', 'b8', 'u8', 's8'):
        raise statement.unknown()
    out_kind = statement.kind() if statement.name == 'set' else 'pred'
    flushes = statement.has('ftz')
    join = statement.one_of(*_JOINS)
    names = [*_COMPARISONS, *_UNSIGNED, *(n + 'u' for n in _COMPARISONS), 'num', 'nan']
    function = _comparison(statement, kind, statement.one_of(*names))
    statement.end(4 if join else 3)
    if flushes and kind != 'f32':
        raise statement.unknown()
    a, b = statement.source(1, kind), statement.source(2, kind)
    other = statement.source(3, 'pred') if join else None
    first, second = statement.operands[0], None
    if first[0] == 'pair':
        if statement.name == 'set':
            raise statement.unknown()
        second = statement.write(first[2], 'pred')
        first = first[1]
    target = statement.write(first, out_kind)
    dtype = kinds.dtype_of(out_kind)

    def run(t):
        x, y = a(t), b(t)
        if flushes:
            x, y = rounding.flush(x), rounding.flush(y)
        holds = function(x, y)
        joined = _JOINS[join](holds, other(t)) if join else holds
        if second is not None:
            opposite = ~numpy.asarray(holds)
            second(t, _JOINS[join](opposite, other(t)) if join else opposite)
        if out_kind == 'pred':
            target(t, joined)
        elif dtype.kind == 'f':
            target(t, numpy.asarray(joined).astype(dtype))
        else:
            ones = -numpy.asarray(joined).astype('i%d' % dtype.itemsize)
            target(t, ones.view(dtype))
    return run


@makes('selp')
def select(statement):
    kind = statement.kind()
    statement.end(4)
    if kind == 'pred' or kinds.size_of(kind) == 1:
        raise statement.unknown()
    target = statement.target(0, kind)
    a, b = statement.source(1, kind), statement.source(2, kind)
    choice = statement.source(3, 'pred')
    return lambda t: target(t, numpy.where(choice(t), a(t), b(t)))


@makes('slct')
def select_by_sign(statement):
    by = statement.kind()
    kind = statement.kind()
    flushes = statement.has('ftz')
    statement.end(4)
    if by not in ('s32', 'f32') or flushes and by != 'f32':
        raise statement.unknown()
    target = statement.target(0, kind)
    a, b = statement.source(1, kind), statement.source(2, kind)
    choice = statement.source(3, by)

    def run(t):
        c = choice(t)
        # A denormal number of either sign counts as a zero, and zeros as positive.
        holds = (rounding.flush(c) if flushes else c) >= 0
        target(t, numpy.where(holds, a(t), b(t)))
    return run


@makes('cvt')
def convert(statement):
    source_kind = statement.kind()
    kind = statement.kind()
    whole = statement.one_of(*_WHOLE)
    direction = statement.one_of(*DIRECTIONS)
    flushes, saturates = statement.has('ftz'), statement.has('sat')
    statement.end(2)
    is_float = [each[0] == 'f' for each in (kind, source_kind)]
    if (kind[0] == 'b' or source_kind[0] == 'b' or 'pred' in (kind, source_kind)
            or flushes and 'f32' not in (kind, source_kind) or whole and direction):
        raise statement.unknown()
    widens = not is_float[0], not is_float[1]
    target = statement.target(0, kind, widens[0])
    source = statement.source(1, source_kind, widens[1])
    maker = {(True, True): _between_floats, (False, True): _to_integer,
             (True, False): _to_float,
             (False, False): _between_integers}[tuple(is_float)]
    function = maker(statement, kind, source_kind, whole, direction, saturates)

    def run(t):
        x = numpy.asarray(source(t))
        if flushes and source_kind == 'f32':
            x = rounding.flush(x)
        out = function(x)
        if flushes and kind == 'f32':
            out = rounding.flush(out)
        target(t, out)
    return run


def _between_floats(statement, kind, source_kind, whole, direction, saturates):
    dtype = kinds.dtype_of(kind)
    narrows = kinds.size_of(kind) < kinds.size_of(source_kind)
    if narrows == (direction is None) or whole and kind != source_kind:
        raise statement.unknown()

    def function(x):
        if whole:
            x = _WHOLE[whole](x)
        out = x.astype(dtype)
        if narrows:
            out = rounding.towards(out, x, direction)
        return rounding.clamp(out) if saturates else out
    return function


def _to_integer(statement, kind, source_kind, whole, direction, saturates):
    if whole is None:
        raise statement.unknown()
    dtype = kinds.dtype_of(kind)
    info = numpy.iinfo(dtype)
    zero = source_kind != 'f64' and dtype.itemsize < 8
    of_nan = 0 if zero else info.min if dtype.kind == 'i' else info.max // 2 + 1

    def function(x):
        # Long doubles hold all integers.
        x = _WHOLE[whole](x).astype(numpy.longdouble)
        out = numpy.clip(x, numpy.longdouble(info.min), numpy.longdouble(info.max))
        nan = numpy.isnan(x)
        out = numpy.where(nan, numpy.longdouble(0), out).astype(dtype)
        return numpy.where(nan, dtype.type(of_nan), out)
    return function


def _to_float(statement, kind, source_kind, whole, direction, saturates):
    if direction is None or whole:
        raise statement.unknown()
    dtype = kinds.dtype_of(kind)

    def function(x):
        # Integers that doubles lack are beyond half floats in any case.
        out = (x.astype('d') if kind == 'f16' else x).astype(dtype)
        if direction != 'rn':
            out = rounding.towards(out, x.astype(numpy.longdouble), direction)
        return rounding.clamp(out) if saturates else out
    return function


def _between_integers(statement, kind, source_kind, whole, direction, saturates):
    if whole or direction:
        raise statement.unknown()
    dtype = kinds.dtype_of(kind)
    info = numpy.iinfo(dtype)

    def function(x):
        if saturates:
            have = numpy.iinfo(x.dtype)
            x = numpy.clip(x, max(have.min, info.min), min(have.max, info.max))
        return x.astype(dtype)
    return function
