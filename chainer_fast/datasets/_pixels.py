"""Pixels as floating-point numbers."""
import numpy


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
