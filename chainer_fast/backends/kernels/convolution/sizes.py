"""Lengths of axes before and after a window passes over them."""


def get_conv_outsize(size, k, s, p, cover_all=False, d=1):
    """Return how many places a window takes along an axis.

    Parameters
    ----------
    size : int
        Length of the axis.
    k : int
        Length of the window, in elements.
    s : int
        Stride: distance of two places.
    p : int
        Padding on either side.
    cover_all : bool
        Whether every element is to be seen, if need be by a window that sticks out at
        the end.
    d : int
        Dilation: distance of two elements of the window.

    Returns
    -------
    int
        Length of the axis after the convolution. It can be negative, if the window is
        longer than the axis.
    """
    room = size + 2 * p - _extent(k, d)
    if cover_all:
        room += s - 1
    return room // s + 1


def get_deconv_outsize(size, k, s, p, cover_all=False, d=1):
    """Return the length of an axis after a deconvolution (transposed convolution).

    The least length whose :func:`get_conv_outsize` is ``size``.

    Parameters
    ----------
    size : int
        Length of the axis before the deconvolution.
    k, s, p, cover_all, d
        See :func:`get_conv_outsize`; those of the convolution that is transposed.

    Returns
    -------
    int
    """
    length = (size - 1) * s + _extent(k, d) - 2 * p
    return length - s + 1 if cover_all else length


def _extent(k, d):
    """Return the length of a window with the gaps that dilation makes."""
    return (k - 1) * d + 1
