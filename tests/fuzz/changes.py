"""Changes of arrays: other sizes, types, strides and values, from a random state."""
import numpy as np

from tests._core.foreign import ORIGINS
from tests._core.shortcut_cases import laid_out

_DTYPES = ['f', 'd', 'e', 'i', 'l', 'b', '?', 'D', '>f4', '>i4', 'u8', 'O']
_LAYOUTS = [
    'F', 'strided', 'reversed', 'repeated', 'unaligned', 'read-only', 'subclass']
# Gradients of such arrays would have to be of the same type.
_OTHER_TYPES = {'swapped', 'subclass', 'memory map'}


def _filled(shape, dtype, random):
    dtype = np.dtype(dtype)
    values = random.uniform(-2, 2, shape)
    if dtype.kind in 'iu':
        values = np.abs(values)
    return np.asarray(values).astype(dtype)


def foreign(array, random, same_type=False):
    """Return the same numbers in an array that may be from anywhere."""
    names = sorted(ORIGINS.keys() - (_OTHER_TYPES if same_type else set()))
    return ORIGINS[names[random.randint(len(names))]](array) if random.randint(
        2) else array


def _other_shape(shape, random):
    shape = list(shape)
    if np.prod([max(n, 1) for n in shape], dtype=float) > 1e6:
        return (7,)
    kind = random.randint(9)
    axis = random.randint(len(shape)) if shape else 0
    if kind == 0 or not shape:
        return [(), (1,), (7,), (0,), (40, 40), (1000,)][random.randint(6)]
    if kind == 1:
        shape[axis] = shape[axis] * 13 + 1
    elif kind == 2:
        shape[axis] = max(shape[axis] - 1, 0)
    elif kind == 3:
        shape[axis] += 1
    elif kind == 4:
        shape[axis] = [0, 1][random.randint(2)]
    elif kind == 5:
        del shape[axis]
    elif kind == 6:
        shape.insert(axis, [1, 3][random.randint(2)])
    elif kind == 7:
        shape = shape[::-1]
    elif np.prod(shape) < 2000:
        shape = [3 * n + 2 for n in shape] if len(shape) < 4 else [n + 2 for n in shape]
    # NumPy refuses a shape by its other lengths, even if one is zero.
    size = np.prod([max(n, 1) for n in shape], dtype=float)
    return tuple(shape) if size < 1e8 else (7,)


def other(shape, dtype, random, deep=True):
    """Return a new array in the place of one of a shape and a type, or None.

    With ``deep`` it may have more axes than NumPy 1 takes. NumPy 2.4 itself reads out
    of bounds in ``add.at`` when an index has so many.
    """
    kind = random.randint(12)
    if kind < 6:
        return _filled(_other_shape(shape, random), dtype, random)
    if kind < 8:
        return _filled(shape, _DTYPES[random.randint(len(_DTYPES))], random)
    if kind < 10:
        array = _filled(shape, dtype, random)
        choice = random.randint(len(_LAYOUTS) + 1)
        if choice == len(_LAYOUTS):
            return foreign(array, random)
        return laid_out(array, _LAYOUTS[choice])
    if kind == 10:
        dtype = _DTYPES[random.randint(len(_DTYPES))]
        return _filled(_other_shape(shape, random), dtype, random)
    if random.randint(4) == 0:
        return None
    if not deep:
        return _filled(shape, dtype, random)
    most = 40 if np.lib.NumpyVersion(np.__version__) >= '2.0.0' else 32
    return _filled(tuple(shape) + (1,) * (most - len(shape)), dtype, random)


def spoil(array, random):
    """Write odd values to an array; tell whether that was possible."""
    choice, place = random.randint(7), random.uniform()
    if not array.flags.writeable or not array.size or array.ndim > 32 or (
            array.dtype.kind not in 'fiu'):
        return False
    if array.dtype.kind == 'f':
        value = [np.nan, np.inf, -np.inf, 1e30, 0, 1e-40, -1][choice]
    else:
        limits = np.iinfo(array.dtype)
        value = [limits.max, limits.min, max(limits.min, -1), 100, 6, 0,
                 limits.max // 2][choice]
    with np.errstate(all='ignore'):
        array.flat[int(place * array.size)] = value
    return True


def resize(array, others, random):
    """Give an array another size where it is; tell whether that was possible.

    A view of it would then see memory that is gone, with NumPy itself as well.
    """
    shape = _other_shape(array.shape, random)
    if type(array) is not np.ndarray or not array.flags.owndata:
        return False
    for each in others:
        if each is not array and np.may_share_memory(each, array):
            return False
    array.resize(shape, refcheck=False)
    return True
