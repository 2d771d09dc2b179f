"""Which dtypes routines of elements take and return, and that values are NumPy's."""
import itertools

import numpy
import pytest

from chainer_fast import chainerx
from tests.chainerx import checks

pytestmark = pytest.mark.usefixtures('place')

DTYPES = [numpy.dtype(name) for name in (
    'bool', 'int8', 'int16', 'int32', 'int64', 'uint8', 'float16', 'float32',
    'float64')]
PAIRS = list(itertools.product(DTYPES, DTYPES))
NUMBERS = [2, 1.5, numpy.int8(2), numpy.float64(1.5)]

ARITHMETIC = ['add', 'subtract', 'floor_divide', 'remainder', 'fmod']
CHOICES = ['maximum', 'minimum']
COMPARISONS = [
    'equal', 'not_equal', 'less', 'less_equal', 'greater', 'greater_equal']
LOGIC = ['logical_and', 'logical_or', 'logical_xor']
BITS = ['bitwise_and', 'bitwise_or', 'bitwise_xor']
SHIFTS = ['left_shift', 'right_shift']
FLOATING = [
    'exp', 'exp2', 'expm1', 'log', 'log2', 'log10', 'log1p', 'sqrt', 'sin', 'cos',
    'tan', 'arctan', 'sinh', 'cosh', 'tanh', 'arcsinh', 'fabs', 'floor', 'ceil']


def joint(a, b):
    """The dtype of a result: floats win over all others as they are."""
    floats = [t for t in (a, b) if t.kind == 'f']
    if len(floats) == 1:
        return floats[0]
    return numpy.promote_types(a, b)


def with_number(dtype, number):
    """The dtype of a result of an array that is no bool and a number."""
    if isinstance(number, (float, numpy.floating)) and dtype.kind != 'f':
        return numpy.dtype('float32')
    return dtype


def values(dtype, shape=(2, 3)):
    return numpy.arange(1, 7).reshape(2, 3)[:shape[0]].astype(dtype)


def check(name, operands, dtype, computed_in):
    """Compare a routine with NumPy's, of operands that are converted first."""
    given = [chainerx.array(x) if isinstance(x, numpy.ndarray) else x
             for x in operands]
    found = getattr(chainerx, name)(*given)
    expected = getattr(numpy, name)(*[
        numpy.asarray(x).astype(computed_in) for x in operands])
    assert found.dtype == dtype
    assert found.shape == expected.shape
    # Devices round the results of exponentials and angles in their own ways.
    rtol = 4 * numpy.finfo(dtype).eps if dtype.kind == 'f' else 0
    numpy.testing.assert_allclose(
        checks.values(found), expected.astype(dtype), rtol)


def refuses(name, *operands):
    with pytest.raises(chainerx.DtypeError):
        getattr(chainerx, name)(*[
            chainerx.array(x) if isinstance(x, numpy.ndarray) else x
            for x in operands])


@pytest.mark.parametrize('name', ARITHMETIC)
def test_arithmetic_of_two_arrays(name):
    for a, b in PAIRS:
        operands = values(a), values(b, (1, 3))
        if 'b' in (a.kind, b.kind):
            refuses(name, *operands)
        else:
            check(name, operands, joint(a, b), joint(a, b))


@pytest.mark.parametrize('name', [*ARITHMETIC, 'multiply', 'power', *CHOICES])
def test_numbers_count_by_their_kind(name):
    for dtype, number in itertools.product(DTYPES[1:], NUMBERS):
        result = with_number(dtype, number)
        check(name, (values(dtype), number), result, result)
        check(name, (number, values(dtype)), result, result)


def test_products_of_bools():
    for a, b in PAIRS:
        check('multiply', (values(a), values(b)), joint(a, b), joint(a, b))
    for dtype in DTYPES:
        check('multiply', (values(dtype), True), dtype, dtype)


@pytest.mark.parametrize('name', ['divide', 'true_divide'])
def test_quotients_are_floats(name):
    for a, b in PAIRS:
        operands = values(a), values(b)
        dtype = joint(a, b) if joint(a, b).kind == 'f' else numpy.dtype('float32')
        if 'b' in (a.kind, b.kind):
            refuses(name, *operands)
        else:
            check(name, operands, dtype, dtype)


def test_powers():
    for a, b in PAIRS:
        operands = values(a), values(b)
        if 'b' in (a.kind, b.kind):
            refuses('power', *operands)
        else:
            check('power', operands, joint(a, b), joint(a, b))
    for dtype in DTYPES:
        refuses('power', values(dtype), True)
        refuses('power', True, values(dtype))


@pytest.mark.parametrize('name', [*CHOICES, *COMPARISONS])
def test_bools_are_compared_with_bools(name):
    for a, b in PAIRS:
        operands = values(a), values(b)[::-1]
        if (a.kind == 'b') != (b.kind == 'b'):
            refuses(name, *operands)
        else:
            result = joint(a, b) if name in CHOICES else numpy.dtype('bool')
            check(name, operands, result, joint(a, b))


@pytest.mark.parametrize('name', COMPARISONS)
def test_comparisons_with_numbers(name):
    for dtype in DTYPES[1:]:
        check(name, (values(dtype), 3), numpy.dtype('bool'), dtype)
        check(name, (3.5, values(dtype)), numpy.dtype('bool'), numpy.dtype('float64'))
    # The width of a number does not count.
    tenths = chainerx.array(numpy.full(3, .1, 'f'))
    assert checks.values(getattr(chainerx, name)(tenths, numpy.float64(.1))).all() == (
        'equal' in name and name != 'not_equal')
    # A negative number does not wrap around.
    found = getattr(chainerx, name)(chainerx.array(values('uint8')), -1)
    assert checks.values(found).all() == ('greater' in name or name == 'not_equal')


@pytest.mark.parametrize('name', LOGIC)
def test_logic_takes_all_dtypes(name):
    for a, b in PAIRS:
        operands = numpy.array([[1, 0, 2]], a), values(b)
        check(name, operands, numpy.dtype('bool'), joint(a, b))


@pytest.mark.parametrize('name', BITS)
def test_bits_are_no_floats(name):
    for a, b in PAIRS:
        operands = values(a), values(b)
        if 'f' in (a.kind, b.kind):
            refuses(name, *operands)
        else:
            check(name, operands, joint(a, b), joint(a, b))
    for dtype in DTYPES[1:6]:
        check(name, (values(dtype), 3), dtype, dtype)
        check(name, (True, values(dtype)), dtype, dtype)
        refuses(name, values(dtype), 1.5)


@pytest.mark.parametrize('name', SHIFTS)
def test_shifts_keep_the_first_dtype(name):
    for a, b in PAIRS:
        operands = values(a), values(b) % 3 if b.kind != 'b' else values(b)
        if {'b', 'f'} & {a.kind, b.kind}:
            refuses(name, *operands)
        else:
            check(name, operands, a, a)
    for dtype in DTYPES[1:6]:
        check(name, (values(dtype), 1), dtype, dtype)
        check(name, (9, values(dtype)), numpy.dtype('int64'), numpy.dtype('int64'))


@pytest.mark.parametrize('name', FLOATING)
def test_results_that_are_floats(name):
    for dtype in DTYPES:
        result = dtype if dtype.kind == 'f' else numpy.dtype('float32')
        check(name, (values(dtype),), result, result)


@pytest.mark.parametrize('name', ['negative', 'square', 'sign'])
def test_results_of_the_same_dtype(name):
    for dtype in DTYPES[1:]:
        check(name, (values(dtype),), dtype, dtype)
    refuses(name, values('bool'))


def test_absolute_values_and_reciprocals():
    for dtype in DTYPES:
        check('absolute', (values(dtype),), dtype, dtype)
    for dtype in DTYPES[1:]:
        result = dtype if dtype.kind == 'f' else numpy.dtype('float32')
        check('reciprocal', (values(dtype),), result, result)
    refuses('reciprocal', values('bool'))


@pytest.mark.parametrize('name', ['isnan', 'isinf', 'isfinite', 'logical_not'])
def test_what_elements_are(name):
    for dtype in DTYPES:
        check(name, (numpy.array([1, 0], dtype),), numpy.dtype('bool'), dtype)
    special = numpy.array([0., numpy.nan, numpy.inf, -numpy.inf])
    check(name, (special,), numpy.dtype('bool'), special.dtype)


def test_clip():
    for dtype in DTYPES[1:]:
        x = chainerx.array(values(dtype))
        for bounds in (2, 4), (None, 3), (3, None):
            expected = numpy.clip(values(dtype), *bounds)
            for found in chainerx.clip(x, *bounds), x.clip(*bounds):
                assert found.dtype == dtype
                numpy.testing.assert_array_equal(checks.values(found), expected)


@pytest.mark.parametrize('connected', [False, True])
def test_shapes_that_do_not_fit(connected):
    a, b = chainerx.ones((2, 3), 'float32'), chainerx.ones((2,), 'float32')
    if connected:
        a.require_grad()
    for routine in (
            chainerx.add, chainerx.remainder, chainerx.maximum, chainerx.arctan2,
            chainerx.less, lambda a, b: a * b, lambda a, b: b > a):
        with pytest.raises(chainerx.DimensionError):
            routine(a, b)


def test_what_is_no_array_is_refused():
    x = chainerx.ones((3,), 'float32')
    for other in numpy.ones(3, 'f'), [1, 2, 3], '1', None, 1j:
        for operands in (x, other), (other, x):
            with pytest.raises(TypeError):
                chainerx.add(*operands)
    with pytest.raises(TypeError):
        chainerx.add(1, 2)
    with pytest.raises(TypeError):
        chainerx.sin(1.)


def test_arrays_of_two_devices():
    a = chainerx.ones((3,), 'float32', device='native:0')
    b = chainerx.ones((3,), 'float32', device='native:1')
    for routine in chainerx.add, lambda a, b: a + b:
        with pytest.raises(chainerx.DeviceError):
            routine(a, b)


def test_another_name_is_the_same():
    assert chainerx.mod is chainerx.remainder
    assert chainerx.abs is chainerx.absolute
