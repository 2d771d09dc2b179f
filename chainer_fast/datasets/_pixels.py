"""Cached archives of images, and conversion of pixels to numbers."""
import numpy


def load_npz(path, names=('x', 'y')):
    """Return a dict of arrays in a cached archive; KeyError if one is missing."""
    with numpy.load(path) as archive:
        return {name: archive[name] for name in names}


def scaled(pixels, dtype, scale):
    """Return bytes as numbers from 0 to ``scale``.

    Parameters
    ----------
    pixels : array of uint8
        Images of any shape.
    dtype : dtype
        dtype of the result.
    scale : float
        Value that 255 becomes.

    Returns
    -------
    array
    """
    images = pixels.astype(dtype)
    if isinstance(scale, numpy.generic):
        # A NumPy scalar would influence the dtype of the result.
        scale = scale.item()
    images *= scale / 255.
    return images
