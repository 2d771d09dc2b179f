import hypothesis
import hypothesis.extra.numpy
import hypothesis.strategies as st
import numpy
import pytest

from chainer_fast import testing


@st.composite
def shapes_and_singular_values(draw):
    shape = draw(hypothesis.extra.numpy.array_shapes(
        min_dims=2, max_dims=4, min_side=0, max_side=4))
    s_shape = (*shape[:-2], min(shape[-2:]))
    cut = draw(st.integers(0, len(s_shape)))
    # Singular values may broadcast.
    s_shape = tuple(draw(st.sampled_from([n, 1])) for n in s_shape[cut:])
    return shape, draw(hypothesis.extra.numpy.arrays(
        'd', s_shape, elements=st.floats(0.5, 1.5)))


@hypothesis.given(shapes_and_singular_values(), st.sampled_from('efdFD'))
def test_singular_values(drawn, dtype):
    shape, s = drawn
    x = testing.generate_matrix(shape, dtype=dtype, singular_values=s)
    assert x.shape == shape
    assert x.dtype == dtype
    if x.size > 0:
        actual = numpy.linalg.svd(x.astype('D'), compute_uv=False)
        expected = numpy.sort(numpy.broadcast_to(s, actual.shape))[..., ::-1]
        numpy.testing.assert_allclose(
            actual, expected, rtol=1e-2 if dtype == 'e' else 1e-5)


def test_stream():
    numpy.random.seed(0)
    x = testing.generate_matrix((2, 3), singular_values=[1, 2])
    numpy.testing.assert_allclose(x, [
        [1.00470815, -0.34513336, 1.49361201],
        [0.41180119, 0.79429806, -0.91655771]], atol=1e-7)
    y = testing.generate_matrix((2, 2), dtype='D', singular_values=[1, 2])
    assert abs(y.imag).max() > 0.1
    numpy.random.seed(0)
    numpy.random.standard_normal(6 + 8)
    state = numpy.random.get_state()
    numpy.random.seed(0)
    testing.generate_matrix((2, 3), singular_values=1)
    numpy.testing.assert_array_equal(
        testing.generate_matrix((2, 2), dtype='D', singular_values=[1, 2]), y)
    assert numpy.random.get_state()[2] == state[2]


@pytest.mark.parametrize('args, kwargs, error', [
    (((2, 2),), {}, TypeError),
    (((2, 2), 'i'), {'singular_values': 1}, TypeError),
    (((2, 2),), {'singular_values': 1 + 0j}, TypeError),
    (((2, 2),), {'singular_values': 1, 'other': 2}, TypeError),
    (((2,),), {'singular_values': 1}, ValueError),
    (((2, 2),), {'singular_values': [1, -1]}, ValueError),
    (((2, 2),), {'singular_values': [1, 1, 1]}, ValueError),
    (((2, 2),), {'singular_values': [[1, 1]]}, ValueError),
    (((0, 2, 2),), {'singular_values': [1, 1, 1]}, ValueError),
])
def test_invalid(args, kwargs, error):
    with pytest.raises(error):
        testing.generate_matrix(*args, **kwargs)
