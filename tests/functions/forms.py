"""Arrays as files have them, and all that a call returns."""
import numpy as np


def swapped(array):
    return array.astype(array.dtype.newbyteorder('>'))


def moved(array):
    copy = np.ndarray(array.shape, array.dtype, bytearray(array.nbytes + 1), 1)
    copy[...] = array
    return copy


def flat(ys):
    return [y for each in ys for y in flat(each)] if isinstance(
        ys, (list, tuple)) else [ys]
