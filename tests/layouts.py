"""Images in other orders in memory than C order."""
import numpy as np
from hypothesis import strategies as st

from chainer_fast import backend


def channels_last(x):
    """Return images with the same values that lie channels last."""
    xp = backend.get_array_module(x)
    return xp.moveaxis(xp.ascontiguousarray(xp.moveaxis(x, 1, -1)), -1, 1)


def lies_channels_last(x):
    return np.moveaxis(x, 1, -1).flags.c_contiguous


def _sliced(x):
    return channels_last(np.concatenate([x, x], 1))[:, :x.shape[1]]


def _unaligned(x):
    memory = bytearray(x.nbytes + 1)
    y = np.moveaxis(np.ndarray(np.moveaxis(x, 1, -1).shape, x.dtype, memory, 1), -1, 1)
    y[...] = x
    return y


#: Each returns the same images in an order of its own.
ORDERS = {
    'C': np.ascontiguousarray,
    'channels last': channels_last,
    'F': np.asfortranarray,
    'sliced': _sliced,
    'unaligned': _unaligned,
}
orders = st.sampled_from(list(ORDERS))

#: Shapes of images: vectors of several lengths and what is left of them; one channel,
#: and one pixel.
shapes = st.one_of(
    st.tuples(st.integers(1, 3), st.sampled_from([1, 2, 3, 8, 16, 17, 37, 64, 70, 130]),
              st.integers(1, 7), st.integers(1, 7)),
    st.sampled_from([(2, 3, 40, 33), (1, 64, 24, 31), (2, 1, 5, 4), (2, 5, 1, 1)]))
