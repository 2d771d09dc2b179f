"""Filling arrays by random number generators."""
import numpy

from chainer_fast import backend


def fill(array, rng, distribution, **parameters):
    """Overwrite an array with samples.

    Parameters
    ----------
    array : numpy.ndarray or cupy.ndarray
        Array to fill.
    rng : random generator or None
        Generator of the numbers; a generator on the CPU may fill an array on a GPU.
        None means the global generator of the array module, on the device of the array.
    distribution : str
        Name of the method of the generator to call.
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
    """Return ``scale * sqrt(variance / fan)``, computed in double precision."""
    return scale * numpy.sqrt(variance / fan)
