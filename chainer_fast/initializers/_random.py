"""Filling an array from a random number generator."""
import numpy

from chainer_fast import backend


def fill(array, rng, distribution, **parameters):
    """Overwrite an array with samples.

    Parameters
    ----------
    array : numpy.ndarray or cupy.ndarray
        Array to fill.
    rng : random generator or None
        Source of the numbers; a generator of the CPU may fill an array of a GPU. None
        stands for the global generator of the array's module, on the array's device.
    distribution : str
        Name of the generator's method to draw with.
    **parameters
        Parameters of the distribution.
    """
    array = backend.from_chx(array)
    device = backend.get_device_from_array(array)
    with backend.using_device(device):
        if rng is None:
            rng = device.xp.random
        samples = getattr(rng, distribution)(size=array.shape, **parameters)
        array[...] = device.xp.asarray(samples)


def spread(scale, variance, fan):
    """Return ``scale * sqrt(variance / fan)``, in double precision."""
    return scale * numpy.sqrt(variance / fan)
