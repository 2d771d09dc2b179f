"""Computation in a higher precision than that of the data."""
import functools

from chainer_fast.backends.kernels.common.halves import cast as cast_array


def _fp16_mixed_precision_helper(fn):
    """Return ``forward`` of a function that computes float16 inputs in float32.

    Parameters
    ----------
    fn : callable
        The method ``fn(self, inputs)``, which maps a tuple of arrays to a tuple.

    Returns
    -------
    callable
        The method with float16 inputs cast to float32 and, if all floats are float16,
        float32 outputs cast to float16.
    """
    # Type characters do not include the byte order.
    half, single = 'e', 'f'

    def cast(arrays, from_, to):
        return tuple([
            cast_array(x, to) if x is not None and x.dtype.char == from_ else x
            for x in arrays])

    @functools.wraps(fn)
    def wrapper(self, in_data):
        mixed = halves = False
        for x in in_data:
            if x is not None and x.dtype.kind == 'f':
                if x.dtype.char == half:
                    halves = True
                else:
                    mixed = True
        if mixed and not halves:
            return fn(self, in_data)
        out_data = fn(self, cast(in_data, half, single))
        return out_data if mixed else cast(out_data, single, half)

    return wrapper
