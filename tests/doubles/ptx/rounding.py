"""Floating-point arithmetic of PTX: one rounding for each operation, in any direction.

NumPy rounds to the nearest value alone and has no fused product. Both are built here of
a sum that is rounded to an odd last digit: it keeps on which side of every shorter
number the exact sum lies, so that one more rounding gives what a single one would
(S. Boldo and G. Melquiond, "Emulation of a FMA and correctly rounded sums", 2008).
"""
import fractions
import math

import numpy

from tests.doubles.ptx.faults import Unknown

TINY = numpy.float32(2.) ** -126
_SPLIT = 2.**27 + 1
# Between these, no step of the exact product of two doubles over- or underflows.
_LARGE, _SMALL = 2.**480, 2.**-400


def flush(x):
    """Return single-precision numbers with denormal ones as zeros of their signs."""
    small = (abs(x) < TINY) & (x != 0)
    return numpy.where(small, numpy.copysign(numpy.float32(0), x), x) if (
        small.any()) else x


def clamp(x):
    """Return numbers between 0 and 1, as ``.sat`` does; NaN becomes 0."""
    x = numpy.where(numpy.isnan(x), x.dtype.type(0), x)
    return numpy.clip(x, x.dtype.type(0), x.dtype.type(1)) + x.dtype.type(0)


def two_sum(a, b):
    """Return the rounded sum of doubles, and its exact error."""
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)


def odd_sum(a, b):
    """Return sums of doubles, rounded to an odd last digit where they are inexact."""
    s, error = two_sum(a, b)
    change = (error != 0) & numpy.isfinite(s) & numpy.isfinite(error)
    if not change.any():
        return s
    bits = numpy.array(s).view(numpy.int64)
    change = change & (bits & 1 == 0)
    return (bits + numpy.where(change, numpy.where((error > 0) == (s > 0), 1, -1), 0)
            ).view(numpy.float64)


def towards(nearest, wide, direction):
    """Return what is rounded in a direction, of what is rounded to the nearest.

    Parameters
    ----------
    nearest : numpy.ndarray
    wide : numpy.ndarray
        The exact value, or one on the same side of every number of the result's type.
    direction : {'rn', 'rz', 'rm', 'rp'}
    """
    if direction == 'rn':
        return nearest
    t = nearest.dtype.type
    if direction == 'rz':
        off, to = abs(nearest) > abs(wide), t(0)
    elif direction == 'rm':
        off, to = nearest > wide, t(-math.inf)
    elif direction == 'rp':
        off, to = nearest < wide, t(math.inf)
    else:
        raise Unknown('rounding %r' % direction)
    return numpy.where(off, numpy.nextafter(nearest, to), nearest)


def add(a, b, direction):
    """Return ``a + b`` with one rounding."""
    if direction == 'rn':
        return a + b
    if a.dtype == numpy.float64:
        s, error = two_sum(a, b)
        # A finite sum beyond the largest number is less than infinity.
        beyond = numpy.isinf(s) & numpy.isfinite(a) & numpy.isfinite(b)
        out = _beside(s, numpy.where(beyond, -s, error), direction)
    else:
        out = towards((a + b), odd_sum(a.astype('d'), b.astype('d')), direction)
    if direction == 'rm':
        # An exact zero of numbers of two signs.
        out = numpy.where((out == 0) & ((a != 0) | (numpy.signbit(a) != numpy.signbit(
            b))), -abs(out), out)
    return out


def multiply(a, b, direction):
    """Return ``a * b`` with one rounding."""
    if direction == 'rn':
        return a * b
    if a.dtype == numpy.float64:
        return fma(a, b, numpy.copysign(0., a) * numpy.copysign(1., b), direction)
    return towards(a * b, a.astype('d') * b.astype('d'), direction)


def divide(a, b, direction):
    """Return ``a / b`` with one rounding."""
    if direction != 'rn':
        raise Unknown('a quotient with rounding %r' % direction)
    return a / b


def fma(a, b, c, direction='rn'):
    """Return ``a * b + c`` with one rounding, for arrays of one type."""
    if a.dtype == numpy.float64:
        return _fma_of_doubles(*numpy.broadcast_arrays(a, b, c), direction)
    # Products of such numbers are doubles.
    wide = odd_sum(a.astype('d') * b.astype('d'), c.astype('d'))
    return towards(wide.astype(a.dtype), wide, direction)


def _beside(s, error, direction):
    """Return the sum of a rounded sum and its error, rounded in a direction."""
    if direction == 'rn':
        return s
    off = {'rm': error < 0, 'rp': error > 0,
           'rz': (error != 0) & ((error < 0) == (s > 0))}.get(direction)
    if off is None:
        raise Unknown('rounding %r' % direction)
    to = {'rm': -math.inf, 'rp': math.inf, 'rz': 0.}[direction]
    known = numpy.isfinite(s) | numpy.isinf(error)
    return numpy.where(off & known, numpy.nextafter(s, to), s)


def _product(a, b):
    """Return the rounded product of doubles, and its exact error."""
    p = a * b
    t = _SPLIT * a
    a_high = t - (t - a)
    t = _SPLIT * b
    b_high = t - (t - b)
    a_low, b_low = a - a_high, b - b_high
    return p, ((a_high * b_high - p) + a_high * b_low + a_low * b_high) + a_low * b_low


def _fma_of_doubles(a, b, c, direction):
    high, low = _product(a, b)
    u, v = two_sum(c, low)
    t, w = two_sum(high, u)
    rest = odd_sum(v, w)
    out, error = two_sum(t, rest)
    out = _beside(out, error, direction)
    # Zeros, infinities and numbers at the ends of the range go another way.
    odd = ~((abs(a) < _LARGE) & (abs(b) < _LARGE) & (abs(c) < _LARGE)
            & (abs(high) > _SMALL) & ((abs(c) > _SMALL) | (c == 0)))
    if odd.any():
        out = numpy.array(out)
        flat = out.reshape(-1)
        for i in numpy.flatnonzero(odd.reshape(-1)):
            flat[i] = _fma_of_numbers(*(float(x.reshape(-1)[i]) for x in (a, b, c)),
                                      direction)
        out = flat.reshape(out.shape)
    return out


def _fma_of_numbers(a, b, c, direction):
    if not all(map(math.isfinite, (a, b, c))) or a == 0 or b == 0:
        product = numpy.float64(a) * numpy.float64(b)
        return float(add(product, numpy.float64(c), direction)) if (
            product == 0 and c == 0) else float(product + numpy.float64(c))
    exact = fractions.Fraction(a) * fractions.Fraction(b) + fractions.Fraction(c)
    if exact == 0:
        if c == 0 or math.copysign(1, a) * math.copysign(1, b) == math.copysign(1, c):
            return math.copysign(0., c)
        return -0. if direction == 'rm' else 0.
    return rounded(exact, direction)


def rounded(exact, direction='rn'):
    """Return the double of a fraction that is not zero."""
    sign = 1 if exact > 0 else -1
    size = abs(exact)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    if size < fractions.Fraction(2) ** exponent:
        exponent -= 1
    unit = fractions.Fraction(2) ** max(exponent - 52, -1074)
    count, rest = divmod(size, unit)
    up = {'rn': rest * 2 > unit or (rest * 2 == unit and count & 1), 'rz': False,
          'rm': sign < 0 and rest > 0, 'rp': sign > 0 and rest > 0}[direction]
    value = (count + bool(up)) * unit
    if value >= fractions.Fraction(2) ** 1024:
        stays = direction == 'rz' or (direction == 'rm') == (sign > 0) and (
            direction != 'rn')
        return sign * (1.7976931348623157e308 if stays else math.inf)
    return sign * float(value)
