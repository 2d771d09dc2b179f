"""Instructions of floating-point numbers: rounded once, in the named direction."""
import fractions
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.doubles.ptx import kinds, rounding
from tests.doubles.ptx.faults import Unknown
from tests.doubles.ptx_tests.programs import assert_same, operate, pairs, run

DIRECTIONS = ['rn', 'rz', 'rm', 'rp']


def rounded(exact, dtype, direction):
    """Return the number of a type that a fraction is rounded to: by search."""
    dtype = np.dtype(dtype)
    info = np.finfo(dtype)
    if exact == 0:
        return dtype.type(0)
    # Of numbers in the order of their bits, the last one that is not larger in size.
    size, low, high = abs(exact), 0, int(info.max.view('u%d' % dtype.itemsize))

    def number(bits):
        return fractions.Fraction(float(np.array(bits, 'u%d' % dtype.itemsize).view(
            dtype)))
    if size > number(high):
        low = high
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if number(middle) <= size else (low, middle - 1)
    below = number(low)
    # The next one, or where it would be.
    above = number(low + 1) if low < int(info.max.view('u%d' % dtype.itemsize)) else (
        2 * below - number(low - 1))
    away = {'rn': (size - below) * 2 > above - below or (
        (size - below) * 2 == above - below and low % 2 == 1),
        'rz': False, 'rm': exact < 0 and size != below,
        'rp': exact > 0 and size != below}[direction]
    out = np.array(low + bool(away), 'u%d' % dtype.itemsize).view(dtype)[()]
    return -out if exact < 0 else out


def numbers(dtype):
    """Numbers of a type of all sizes; few digits make ties and zeros likely."""
    dtype = np.dtype(dtype)
    width = {2: 16, 4: 32, 8: 64}[dtype.itemsize]
    any_of_them = st.floats(width=width, allow_nan=False, allow_infinity=False)
    few_digits = st.builds(
        lambda digits, exponent: dtype.type(math.ldexp(digits, exponent)),
        st.integers(-64, 64), st.integers(-20, 8))
    return (any_of_them | few_digits).map(dtype.type)


@pytest.mark.parametrize('direction', DIRECTIONS)
@pytest.mark.parametrize('dtype', ['f2', 'f4', 'f8'])
def test_fused_products_are_rounded_once(dtype, direction):
    @settings(max_examples=60)
    @given(st.lists(st.tuples(*[numbers(dtype)] * 3), min_size=1, max_size=8))
    def check(triples):
        a, b, c = np.array(triples, dtype).T
        with np.errstate(all='ignore'):
            actual = rounding.fma(a, b, c, direction)
        assert actual.dtype == dtype
        for x, y, z, out in zip(a, b, c, actual, strict=True):
            x, y, z = [fractions.Fraction(float(each)) for each in (x, y, z)]
            expected = rounded(x * y + z, dtype, direction)
            assert out == expected, (x, y, z, out, expected)
    check()


@pytest.mark.parametrize('direction', DIRECTIONS)
@pytest.mark.parametrize('dtype', ['f4', 'f8'])
def test_sums_and_products_are_rounded_once(dtype, direction):
    @settings(max_examples=40)
    @given(numbers(dtype), numbers(dtype))
    def check(a, b):
        x, y = [fractions.Fraction(float(each)) for each in (a, b)]
        a, b = np.array([a]), np.array([b])
        with np.errstate(all='ignore'):
            assert rounding.add(a, b, direction) == rounded(x + y, dtype, direction)
            assert rounding.multiply(a, b, direction) == rounded(
                x * y, dtype, direction)
    check()


@pytest.mark.parametrize('sign', [1, -1])
@pytest.mark.parametrize('direction', DIRECTIONS)
@pytest.mark.parametrize('dtype', ['f4', 'f8'])
def test_results_beyond_the_largest_number(dtype, direction, sign):
    large = sign * np.array([np.finfo(dtype).max])
    exact = fractions.Fraction(float(large[0]))
    with np.errstate(all='ignore'):
        assert rounding.add(large, large, direction) == rounded(
            2 * exact, dtype, direction)
        assert rounding.multiply(large, abs(large), direction) == rounded(
            exact * abs(exact), dtype, direction)
        assert rounding.fma(large, abs(large), large, direction) == rounded(
            exact * abs(exact) + exact, dtype, direction)


@pytest.mark.parametrize('a, b, c', [
    # Two roundings give other numbers.
    (1 + 2.**-23, 1 + 2.**-23, -1.), (1 + 2.**-12, 1 + 2.**-12, 2.**-60),
    (1 + 2.**-23, 1 - 2.**-23, -1.), (3., 1 / 3, -1.)])
def test_one_rounding_instead_of_two(a, b, c):
    for kind in ('f32', 'f64'):
        t = kinds.dtype_of(kind).type
        x, y, z = t(a), t(b), t(c)
        exact = sum([fractions.Fraction(float(x)) * fractions.Fraction(float(y)),
                     fractions.Fraction(float(z))])
        out = operate('fma.rn.' + kind, kind, (kind, [x]), (kind, [y]), (kind, [z]))
        assert out[0] == rounded(exact, out.dtype, 'rn')


def test_an_example_with_a_tie_of_two_roundings():
    # In double precision the sum is a tie of single precision; the exact one is not.
    a, b, c = np.float32(1 + 2.**-12), np.float32(1 + 2.**-12), np.float32(2.**-80)
    out = operate('fma.rn.f32', 'f32', ('f32', [a]), ('f32', [b]), ('f32', [c]))
    assert out[0] == np.float32(1 + 2.**-11 + 2.**-23)
    out = operate('fma.rn.f32', 'f32', ('f32', [a]), ('f32', [b]), ('f32', [-c]))
    assert out[0] == np.float32(1 + 2.**-11)


@pytest.mark.parametrize('kind', ['f32', 'f64'])
def test_fused_products_of_special_numbers(kind):
    a, b = pairs(kind)
    c = np.roll(a, 5)
    out = operate('fma.rn.' + kind, kind, (kind, a), (kind, b), (kind, c))
    with np.errstate(all='ignore'):
        plain = a * b + c
    special = ~np.isfinite(a) | ~np.isfinite(b) | ~np.isfinite(c)
    assert_same(out[special], plain[special])
    zero = (a == 0) | (b == 0)
    assert_same(out[zero], plain[zero])


@pytest.mark.parametrize('kind', ['f16', 'f32', 'f64'])
@pytest.mark.parametrize('name, function', [
    ('add', np.add), ('sub', np.subtract), ('mul', np.multiply), ('div.rn', np.divide),
    ('add.rn', np.add), ('mul.rn', np.multiply)])
def test_arithmetic(name, function, kind):
    if name == 'div.rn' and kind == 'f16':
        pytest.raises(Unknown, operate, 'div.rn.f16', kind, (kind, [1]), (kind, [1]))
        return
    a, b = pairs(kind)
    with np.errstate(all='ignore'):
        assert_same(operate('%s.%s' % (name, kind), kind, (kind, a), (kind, b)),
                    function(a, b))


def flush(x):
    tiny = np.finfo('f4').tiny
    return np.where(abs(x) < tiny, np.copysign(np.float32(0), x), x).astype('f4')


@pytest.mark.parametrize('name, function', [
    ('add', np.add), ('sub', np.subtract), ('mul', np.multiply), ('div.rn', np.divide)])
def test_denormal_numbers_are_flushed(name, function):
    a, b = pairs('f32')
    with np.errstate(all='ignore'):
        expected = flush(function(flush(a), flush(b)))
    assert_same(operate(name + '.ftz.f32', 'f32', ('f32', a), ('f32', b)), expected)


def test_flushing_of_what_goes_in_and_what_comes_out():
    tiny = np.finfo('f4').tiny
    a, b = np.array([tiny / 2, -tiny / 2, tiny], 'f4'), np.array([4, 4, .5], 'f4')
    assert_same(operate('mul.f32', 'f32', ('f32', a), ('f32', b)), a * b)
    assert_same(operate('mul.ftz.f32', 'f32', ('f32', a), ('f32', b)),
                np.array([0, -0., 0], 'f4'))
    assert_same(operate('fma.rn.ftz.f32', 'f32', ('f32', a), ('f32', b), ('f32', a)),
                np.array([0, -0., tiny + tiny / 2], 'f4'))


@pytest.mark.parametrize('kind', ['f32', 'f64'])
@pytest.mark.parametrize('name', ['min', 'max'])
def test_smaller_and_larger(name, kind):
    a, b = pairs(kind)
    out = operate('%s.%s' % (name, kind), kind, (kind, a), (kind, b))

    def one(x, y):
        if math.isnan(x) or math.isnan(y):
            return y if math.isnan(x) else x
        # Positive zero is larger than negative zero.
        first, second = sorted([x, y], key=lambda v: (v, math.copysign(1, v)))
        return first if name == 'min' else second
    assert_same(out, np.array([one(*each) for each in zip(a, b, strict=True)], a.dtype))
    keeps = operate('%s.NaN.%s' % (name, kind), kind, (kind, a), (kind, b))
    assert (np.isnan(keeps) == (np.isnan(a) | np.isnan(b))).all()


@pytest.mark.parametrize('kind', ['f32', 'f64'])
def test_functions_of_one_number(kind):
    a, _ = pairs(kind)
    with np.errstate(all='ignore'):
        for opcode, expected in (('neg.', -a), ('abs.', abs(a)),
                                 ('sqrt.rn.', np.sqrt(a)), ('rcp.rn.', 1 / a)):
            out = operate(opcode + kind, kind, (kind, a))
            assert_same(out, expected.astype(a.dtype))
    for what, expected in (
            ('finite', np.isfinite(a)), ('infinite', np.isinf(a)),
            ('notanumber', np.isnan(a)), ('number', ~np.isnan(a)),
            ('subnormal', (abs(a) < np.finfo(a.dtype).tiny) & (a != 0)),
            ('normal', np.isfinite(a) & (abs(a) >= np.finfo(a.dtype).tiny))):
        assert_same(operate('testp.%s.%s' % (what, kind), 'pred', (kind, a)), expected)


def test_signs_are_copied_from_the_first():
    a, b = pairs('f32')
    assert_same(operate('copysign.f32', 'f32', ('f32', a), ('f32', b)),
                np.copysign(b, a))


def test_results_between_zero_and_one():
    a = np.array([-1, -0., .25, 1, 1.5, np.inf, -np.inf, np.nan], 'f4')
    assert_same(operate('add.sat.f32', 'f32', ('f32', a), ('f32', np.zeros(8))),
                np.array([0, 0, .25, 1, 1, 1, 0, 0], 'f4'))


@pytest.mark.parametrize('instruction', [
    'fma.f32 %f1, %f2, %f3, %f4;', 'div.f32 %f1, %f2, %f3;',
    'add.ftz.f64 %d1, %d2, %d3;', 'add.f16x2 %r10, %r11, %r12;', 'ex2.f32 %f1, %f2;',
    'sin.approx.f64 %d1, %d2;', 'sqrt.f32 %f1, %f2;', 'div.rz.f32 %f1, %f2, %f3;',
    'add.f64 %d1, %f2, %d3;', 'mul.f32 %f1, %f2, 2;',
    'mul.f32 %f1, %f2, 0d3FF0000000000000;', 'add.sat.f64 %d1, %d2, %d3;',
    'rcp.rz.f32 %f1, %f2;', 'mul.lo.f32 %f1, %f2, %f3;'])
def test_unknown_instructions_are_refused(instruction):
    with pytest.raises(Unknown):
        run('mov.f32 %f2, 0f00000000; mov.f32 %f3, %f2; mov.f64 %d2, '
            '0d0000000000000000; mov.f64 %d3, %d2;' + instruction, np.zeros(1, 'u4'))
