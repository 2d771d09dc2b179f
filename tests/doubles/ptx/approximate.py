"""Approximate functions, as far off as the manual of PTX allows.

Which of the results within the bounds a card gives is nobody's business. A launch
chooses (:attr:`~.launch.Launch.error`) how far off they are, as a share of the bound,
so that a kernel that needs an exact one is seen.
"""
import numpy

from tests.doubles.ptx import kinds
from tests.doubles.ptx.decode import makes
from tests.doubles.ptx.floats import float_kind, flushed

# The function, its largest error, and whether that is a share of the result.
_FUNCTIONS = {
    ('rcp', 'f32'): (lambda x: 1 / x, 2.**-23, True),
    ('rsqrt', 'f32'): (lambda x: 1 / numpy.sqrt(x), 2.**-22.9, True),
    ('rsqrt', 'f64'): (lambda x: 1 / numpy.sqrt(x), 2.**-52, True),
    ('sqrt', 'f32'): (numpy.sqrt, 2.**-23, True),
    ('ex2', 'f32'): (numpy.exp2, 2.**-22.5, True),
    ('lg2', 'f32'): (numpy.log2, 2.**-22.6, False),
    ('sin', 'f32'): (numpy.sin, 2.**-20.5, False),
    ('cos', 'f32'): (numpy.cos, 2.**-20.5, False),
    ('tanh', 'f32'): (numpy.tanh, 2.**-11, True)}


def _off(exact, error, is_share):
    """Return values that are off by an error, but for those that must be exact."""
    if is_share:
        return exact * (1 + error)
    special = ~numpy.isfinite(exact) | (exact == 0)
    return numpy.where(special, exact, exact + error)


@makes('rsqrt', 'ex2', 'lg2', 'sin', 'cos', 'tanh')
def function(statement):
    """``rcp``, ``sqrt``, ``rsqrt``, ``ex2``, ``lg2``, ``sin``, ``cos``, ``tanh``."""
    name, kind = statement.name, float_kind(statement)
    if not statement.has('approx'):
        raise statement.unknown()
    if kind == 'f64' and statement.has('ftz'):
        return _upper_half(statement)
    if (name, kind) not in _FUNCTIONS:
        raise statement.unknown()
    operation, bound, is_share = _FUNCTIONS[name, kind]
    (source,), finish = flushed(statement, kind, [statement.source(1, kind)])
    statement.end(2)
    target, dtype = statement.target(0, kind), kinds.dtype_of(kind)

    def run(t):
        x = numpy.asarray(source(t)).astype('d')
        exact = operation(x)
        out = _off(exact, t.launch.error * bound, is_share)
        if name == 'ex2':
            # Whole numbers come out exact, as the functions of CUDA rely on.
            out = numpy.where(x == numpy.rint(x), exact, out)
        elif name == 'lg2':
            # Near one, the error is a share of the result.
            near = abs(x - 1) < .25
            out = numpy.where(near, exact * (1 + t.launch.error * bound), out)
        elif name in ('rcp', 'rsqrt', 'sqrt'):
            out = numpy.where(numpy.frexp(abs(x))[0] == .5, exact, out)
        elif name in ('sin', 'cos', 'tanh'):
            out = numpy.clip(out, -1, 1)
        target(t, finish(out.astype(dtype)))
    return run


def _upper_half(statement):
    """``rcp`` and ``rsqrt`` of doubles of which the upper half alone counts."""
    if statement.name not in ('rcp', 'rsqrt'):
        raise statement.unknown()
    statement.end(2)
    target, source = statement.target(0, 'f64'), statement.source(1, 'f64')
    upper, tiny = numpy.uint64(0xffffffff << 32), numpy.finfo('d').tiny

    def flush(x):
        x = (numpy.asarray(x).view('u8') & upper).view('d')
        return numpy.where(abs(x) < tiny, numpy.copysign(0., x), x)

    def run(t):
        x = flush(source(t))
        out = 1 / (x if statement.name == 'rcp' else numpy.sqrt(x))
        target(t, flush(out))
    return run


def divide(statement):
    """``div.approx`` and ``div.full``, two units in the last place off at most."""
    kind = float_kind(statement)
    full = 'full' in statement.instruction.modifiers
    sources, finish = flushed(
        statement, kind, [statement.source(1, kind), statement.source(2, kind)])
    statement.end(3)
    if kind != 'f32':
        raise statement.unknown()
    target = statement.target(0, kind)

    def run(t):
        a, b = [numpy.asarray(f(t)).astype('d') for f in sources]
        exact = a / b
        out = numpy.where(numpy.frexp(abs(b))[0] == .5, exact,
                          exact * (1 + t.launch.error * 2.**-22))
        if not full:
            # Beyond, the reciprocal is a denormal number, and lost.
            far = (abs(b) > 2.**126) & numpy.isfinite(b)
            out = numpy.where(far, numpy.where(numpy.isinf(a), numpy.nan,
                                               numpy.copysign(0., exact)), out)
        target(t, finish(out.astype('f4')))
    return run
