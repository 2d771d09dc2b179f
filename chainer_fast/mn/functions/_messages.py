"""Conversion of arrays before they are sent and after they are received."""
import numpy

from chainer_fast import backend


def widened(arrays):
    """Return arrays in the dtypes in which they are sent: float16 as float32.

    Communicators of users may not support float16, and sums in float16 lose precision.

    Parameters
    ----------
    arrays : iterable of array

    Returns
    -------
    tuple of array
    """
    return tuple([
        x.astype(numpy.float32) if x.dtype.char == 'e' else x for x in arrays])


def narrowed(array, dtype):
    """Convert a received array back to float16 if that is ``dtype``."""
    if dtype.char == 'e' and array.dtype.char == 'f':
        return array.astype(dtype)
    return array


class Places:
    """Shapes, dtypes and devices of arrays, without the arrays.

    Parameters
    ----------
    arrays : iterable of array
    """

    def __init__(self, arrays):
        self._of = [
            (x.shape, x.dtype, backend.get_device_from_array(x)) for x in arrays]

    def filled(self, gradients):
        """Return gradients of the arrays, with zeros in place of None.

        The other process waits for every gradient, whether or not this one uses the
        array.

        Parameters
        ----------
        gradients : sequence of array or None

        Returns
        -------
        tuple of array
        """
        return tuple([
            device.xp.zeros(shape, dtype) if gradient is None else gradient
            for gradient, (shape, dtype, device)
            in zip(gradients, self._of, strict=True)])

    def fitted(self, gradients):
        """Return received gradients in the dtypes of the arrays, on their devices.

        Parameters
        ----------
        gradients : sequence of array

        Returns
        -------
        tuple of array
        """
        return tuple([
            device.send(gradient).astype(dtype, copy=False)
            for gradient, (_, dtype, device)
            in zip(gradients, self._of, strict=True)])
