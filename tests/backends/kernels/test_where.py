"""Choice by a condition: the compiled form against the reference."""
import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from chainer_fast.backends.kernels import where as kernels


@given(hnp.array_shapes(max_dims=3, min_side=0, max_side=20), st.sampled_from('fde'),
       st.booleans(), st.sampled_from(['both', 'x', 'y', 'neither']))
def test_where(shape, dtype, strided, whole):
    random = np.random.RandomState(0)
    condition = np.asarray(random.rand(*shape) > .5)
    x = random.rand(*shape if whole in ('both', 'x') else ()) * np.ones(())
    y = random.rand(*shape if whole in ('both', 'y') else ()) * np.ones(())
    x, y = np.asarray(x, dtype), np.asarray(y, dtype)
    if strided:
        x, condition = np.asfortranarray(x), np.asfortranarray(condition)
    z = kernels.where(condition, x, y)
    assert (z.dtype, z.shape) == (np.dtype(dtype), shape)
    np.testing.assert_array_equal(z, kernels.where.reference(condition, x, y))


@given(st.lists(st.sampled_from(['C', 'F', 'moved', 'strided']), min_size=3,
                max_size=3),
       st.sampled_from([(3, 4), (2, 3, 4), (1, 5), (4, 1, 2)]), st.booleans())
def test_results_lie_in_memory_as_those_of_numpy(layouts, shape, single):
    def lay(x, layout):
        if layout == 'moved':
            return np.moveaxis(np.moveaxis(x, -1, 0).copy(), 0, -1)
        if layout == 'strided':
            return np.repeat(x, 2, -1)[..., ::2]
        return np.asarray(x, order=layout)
    random = np.random.RandomState(0)
    condition, x, y = [
        lay(random.rand(*shape), layout) for layout in layouts]
    args = condition > .5, x, np.zeros(()) if single else y
    z, expected = kernels.where(*args), kernels.where.reference(*args)
    np.testing.assert_array_equal(z, expected)
    assert z.squeeze().strides == expected.squeeze().strides


def test_arrays_that_are_broadcast():
    condition = np.array([[True], [False]])
    x, y = np.arange(3.), np.zeros((1, 3))
    np.testing.assert_array_equal(
        kernels.where(condition, x, y), [[0, 1, 2], [0, 0, 0]])


def test_what_is_not_chosen_does_not_matter():
    nan = np.full(3, np.nan)
    np.testing.assert_array_equal(
        kernels.where(np.array([True, False, True]), np.ones(3), nan), [1, np.nan, 1])
