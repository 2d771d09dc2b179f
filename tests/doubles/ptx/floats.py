"""Instructions of floating-point numbers that are exact, or rounded once."""
import numpy

from tests.doubles.ptx import integers, kinds, rounding
from tests.doubles.ptx.decode import makes

DIRECTIONS = 'rn', 'rz', 'rm', 'rp'


def float_kind(statement):
    kind = statement.kind()
    if kind[0] != 'f':
        raise statement.unknown()
    return kind


def is_float(statement):
    return statement.instruction.modifiers[-1] in ('f16', 'f32', 'f64')


def flushed(statement, kind, sources):
    """Return sources and a function of the result, with ``.ftz`` and ``.sat``."""
    flushes, saturates = statement.has('ftz'), statement.has('sat')
    if flushes and kind != 'f32' or saturates and kind == 'f64':
        raise statement.unknown()
    if flushes:
        sources = [lambda t, f=f: rounding.flush(f(t)) for f in sources]

    def finish(value):
        if flushes:
            value = rounding.flush(value)
        return rounding.clamp(value) if saturates else value
    return sources, finish


@makes('add', 'sub', 'addc', 'subc')
def add(statement):
    return (arithmetic if is_float(statement) else integers.add_or_subtract)(statement)


@makes('fma')
def fused(statement):
    return arithmetic(statement)


@makes('div')
def divide(statement):
    if not is_float(statement):
        return integers.divide(statement)
    if statement.one_of('approx', 'full') is not None:
        from tests.doubles.ptx import approximate
        return approximate.divide(statement)
    return arithmetic(statement)


_TWO = {'add': rounding.add, 'mul': rounding.multiply, 'div': rounding.divide,
        'sub': lambda a, b, direction: rounding.add(a, -b, direction)}


def arithmetic(statement):
    """``add``, ``sub``, ``mul``, ``div``, ``fma``, and ``mad``, which is the latter."""
    name = statement.name
    kind = float_kind(statement)
    direction = statement.one_of(*DIRECTIONS)
    fuses = name in ('fma', 'mad')
    if direction is None and (fuses or name == 'div') or name not in (
            *_TWO, 'fma', 'mad') or (
                kind == 'f16' and (direction not in ('rn', None) or name == 'div')):
        raise statement.unknown()
    direction = direction or 'rn'
    n = 3 if fuses else 2
    sources, finish = flushed(
        statement, kind, [statement.source(i, kind) for i in range(1, n + 1)])
    statement.end(n + 1)
    target = statement.target(0, kind)
    operation = rounding.fma if fuses else _TWO[name]
    return lambda t: target(
        t, finish(operation(*[f(t) for f in sources], direction)))


@makes('min', 'max')
def least_or_most(statement):
    if not is_float(statement):
        return integers.least_or_most(statement)
    kind = float_kind(statement)
    sources, finish = flushed(
        statement, kind, [statement.source(1, kind), statement.source(2, kind)])
    keeps_nan = statement.has('NaN')
    statement.end(3)
    target = statement.target(0, kind)
    least = statement.name == 'min'

    def run(t):
        a, b = [f(t) for f in sources]
        out = (numpy.fmin if least else numpy.fmax)(a, b)
        # Zeros are in order.
        zeros = (a == 0) & (b == 0)
        if zeros.any():
            negative = numpy.signbit(a) | numpy.signbit(b) if least else (
                numpy.signbit(a) & numpy.signbit(b))
            zero = numpy.copysign(out.dtype.type(0), numpy.where(negative, -1, 1))
            out = numpy.where(zeros, zero.astype(out.dtype), out)
        if keeps_nan:
            out = numpy.where(numpy.isnan(a) | numpy.isnan(b), out.dtype.type(
                numpy.nan), out)
        target(t, finish(out))
    return run


@makes('abs', 'neg')
def sign(statement):
    if not is_float(statement):
        return integers.sign(statement)
    kind = float_kind(statement)
    (source,), finish = flushed(statement, kind, [statement.source(1, kind)])
    statement.end(2)
    target = statement.target(0, kind)
    operation = numpy.abs if statement.name == 'abs' else numpy.negative
    return lambda t: target(t, finish(operation(source(t))))


@makes('sqrt', 'rcp')
def root_or_reciprocal(statement):
    if 'approx' in statement.instruction.modifiers:
        from tests.doubles.ptx import approximate
        return approximate.function(statement)
    kind = float_kind(statement)
    if statement.one_of('rn') is None or kind == 'f16':
        raise statement.unknown()
    (source,), finish = flushed(statement, kind, [statement.source(1, kind)])
    statement.end(2)
    target, one = statement.target(0, kind), kinds.dtype_of(kind).type(1)
    if statement.name == 'sqrt':
        return lambda t: target(t, finish(numpy.sqrt(source(t))))
    return lambda t: target(t, finish(one / source(t)))


@makes('copysign')
def copy_sign(statement):
    kind = float_kind(statement)
    statement.end(3)
    if kind == 'f16':
        raise statement.unknown()
    target = statement.target(0, kind)
    a, b = statement.source(1, kind), statement.source(2, kind)
    return lambda t: target(t, numpy.copysign(b(t), a(t)))


@makes('testp')
def test(statement):
    what = statement.one_of('finite', 'infinite', 'number', 'notanumber', 'normal',
                            'subnormal')
    kind = float_kind(statement)
    statement.end(2)
    if what is None or kind == 'f16':
        raise statement.unknown()
    target, source = statement.target(0, 'pred'), statement.source(1, kind)
    tiny = numpy.finfo(kinds.dtype_of(kind)).tiny
    holds = {
        'finite': numpy.isfinite, 'infinite': numpy.isinf,
        'number': lambda x: ~numpy.isnan(x), 'notanumber': numpy.isnan,
        'normal': lambda x: numpy.isfinite(x) & (abs(x) >= tiny),
        'subnormal': lambda x: (abs(x) < tiny) & (x != 0)}[what]
    return lambda t: target(t, holds(source(t)))
