import numpy
import pytest

from chainer_fast.onnx.testing import input_generator as generator


@pytest.mark.parametrize('name, expected', [
    ('increasing', [[-1.5, -1, -0.5], [0, 0.5, 1]]),
    ('nonzero_increasing', [[-1.25, -0.75, -0.25], [0.25, 0.75, 1.25]]),
    ('positive_increasing', [[0.25, 0.75, 1.25], [1.75, 2.25, 2.75]]),
])
def test_numbers(name, expected):
    options = {} if name == 'increasing' else {'bias': 0.25}
    for dtype in ('float32', 'float64'):
        numbers = getattr(generator, name)(2, 3, dtype=dtype, **options)
        assert numbers.dtype == dtype
        numpy.testing.assert_array_equal(numbers, expected)
    assert getattr(generator, name)(2).dtype == numpy.float32


def test_integers():
    numpy.testing.assert_array_equal(
        generator.increasing(5, dtype=numpy.int64), [-2, -1, 0, 1, 2])
    numpy.testing.assert_array_equal(generator.shaped_range(2, 2), [[0, 1], [2, 3]])


def test_zeros_are_refused():
    assert (generator.nonzero_increasing(3) != 0).all()
    with pytest.raises(AssertionError, match='one element is zero'):
        generator.nonzero_increasing(3, bias=0.5)
    with pytest.raises(AssertionError):
        generator.nonzero_increasing(3, dtype=numpy.int64)
    with pytest.raises(TypeError, match='floating'):
        generator.positive_increasing(3, dtype=numpy.int64)
