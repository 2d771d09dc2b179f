"""Image processing."""
from __future__ import annotations

from collections.abc import Sequence

import numpy

from chainer_fast.types import NdArray


def oversample(images: Sequence[NdArray], crop_dims: tuple[int, ...]) -> NdArray:
    """Crop ten patches of each image: the corners, the center, and their mirror images.

    Parameters
    ----------
    images : sequence of numpy.ndarray
        Images of shape ``(channels, height, width)``, none of which is smaller than the
        first one.
    crop_dims : tuple of int
        Height and width of the patches.

    Returns
    -------
    numpy.ndarray
        Patches of shape ``(10 * len(images), channels, *crop_dims)``, in the dtype of
        the first image. For each image these are the upper left, upper right, lower
        left and lower right corners and the center, followed by the mirror images of
        these five.

    Raises
    ------
    ValueError
        If the patches are larger than the images.

    Examples
    --------
    >>> from chainer_fast.utils import imgproc
    >>> imgproc.oversample(np.zeros((2, 3, 8, 8)), crop_dims=(6, 6)).shape
    (20, 3, 6, 6)
    """
    crop_h, crop_w = crop_dims
    channels, height, width = images[0].shape
    bottom, right = height - crop_h, width - crop_w
    if bottom < 0 or right < 0:
        raise ValueError('cannot crop patches of %s x %s from images of %s x %s' % (
            crop_h, crop_w, height, width))
    corners = [(0, 0), (0, right), (bottom, 0), (bottom, right),
               (bottom // 2, right // 2)]
    out = numpy.empty(
        (len(images), 2, len(corners), channels, crop_h, crop_w), images[0].dtype)
    for image, (patches, mirrored) in zip(images, out, strict=True):
        for patch, (top, left) in zip(patches, corners, strict=True):
            patch[...] = image[:, top:top + crop_h, left:left + crop_w]
        mirrored[...] = patches[..., ::-1]
    return out.reshape(-1, channels, crop_h, crop_w)
