"""What data sets of images share: their archives, and pixels as numbers."""
import numpy


def load_npz(path, names=('x', 'y')):
    """Return a dict of arrays in a cached archive; KeyError if one is not there."""
    with numpy.load(path) as archive:
        return {name: archive[name] for name in names}


def scaled(pixels, dtype, scale):
    """Return bytes as numbers from 0 to ``scale``.

    Parameters
    ----------
    pixels : array of uint8
        Images of any shape.
    dtype : dtype
        Of the result.
    scale : float
        What stands for 255.

    Returns
    -------
    array
    """
    images = pixels.astype(dtype)
    if isinstance(scale, numpy.generic):
        # A scalar with a dtype of its own would take part in choosing the precision.
        scale = scale.item()
    images *= scale / 255.
    return images
