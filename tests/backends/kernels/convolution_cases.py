"""Images, and the windows that are moved over them."""
import numpy as np
from hypothesis import assume
from hypothesis import strategies as st


def random(shape, dtype, seed):
    return np.random.RandomState(seed).uniform(-1, 1, shape).astype(dtype)


def strided(array, how):
    """The same values with other strides."""
    if how == 'fortran':
        return np.asfortranarray(array)
    if how == 'gaps':
        wide = np.zeros((*array.shape[:-1], 2 * array.shape[-1]), array.dtype)
        wide[..., ::2] = array
        return wide[..., ::2]
    if how == 'reversed':
        return array[::-1].copy()[::-1]
    return array


def channels_last(array):
    return np.moveaxis(np.moveaxis(array, 1, -1).copy(), -1, 1)


def laid(array, how):
    """The same values with other strides."""
    if how == 'channels last':
        return channels_last(array)
    if how == 'part of the channels':
        wide = np.concatenate([array, array, array], 1)
        return channels_last(wide)[:, array.shape[1]:2 * array.shape[1]]
    if how == 'reversed':
        return channels_last(array[..., ::-1])[..., ::-1]
    if how == 'misaligned':
        raw = np.empty(array.nbytes + 1, 'b')[1:]
        view = raw.view(array.dtype).reshape(np.moveaxis(array, 1, -1).shape)
        view[...] = np.moveaxis(array, 1, -1)
        return np.moveaxis(view, -1, 1)
    if how == 'broadcast':
        return np.broadcast_to(array[:, :, :1], array.shape)
    return array


LAYOUTS = ('plain', 'channels last', 'part of the channels', 'reversed', 'misaligned',
           'broadcast')


@st.composite
def windows(draw):
    """Window, stride, padding, dilation, lengths and places; also beyond the images.
    """
    nd = draw(st.integers(1, 3))

    def numbers(least, most):
        return tuple(draw(st.lists(
            st.integers(least, most), min_size=nd, max_size=nd)))

    ksize, stride, pad, dilate = (
        numbers(1, 3), numbers(1, 3), numbers(0, 2), numbers(1, 2))
    lengths = numbers(1, 7 if nd < 3 else 4)
    outs = tuple([
        (n + 2 * p - (k - 1) * d - 1) // s + 1 + draw(st.integers(0, 1))
        for k, s, p, d, n in zip(ksize, stride, pad, dilate, lengths, strict=True)])
    assume(min(outs) > 0)
    return ksize, stride, pad, dilate, lengths, outs
