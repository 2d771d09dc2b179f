"""Cross entropy between the softmax of scores and labels, along axis 1.

Losses and gradients of a sample are made in one go over its scores.
"""
from chainer_fast.backends.cuda import get_array_module
from chainer_fast.backends.kernels import kernel
from chainer_fast.backends.kernels.cross_entropy import compiled
from chainer_fast.backends.kernels.cross_entropy import cuda as device


def _index(labels):
    """Index of the labels' elements in an array of scores."""
    xp = get_array_module(labels)
    ndim = labels.ndim
    grid = [
        xp.arange(n).reshape((n,) + (1,) * (ndim - d - 1))
        for d, n in enumerate(labels.shape)]
    return (grid[0], labels, *grid[1:])


def _softmax(x):
    """The softmax of scores, and its logarithm."""
    xp = get_array_module(x)
    # In this order, large scores cost no precision.
    log_y = x - x.max(axis=1, keepdims=True)
    y = xp.exp(log_y)
    total = y.sum(axis=1, keepdims=True)
    log_y -= xp.log(total)
    y /= total
    return y, log_y


def _classes(t, ignore_label):
    """Labels in which those that do not count are 0, a class that always exists."""
    xp = get_array_module(t)
    counted = t != ignore_label
    return xp.where(counted, t, 0), counted


@kernel(compiled=compiled.hard_losses, device=device.hard_losses)
def hard_losses(x, t, class_weight, ignore_label):
    """Losses of labels.

    Parameters
    ----------
    x : array of floats, shape (n, classes, ...)
        Scores.
    t : array of integers, shape (n, ...)
        Labels.
    class_weight : array, shape (classes,), or None
        Weight of each class.
    ignore_label : int
        Label that does not count, and need not be a class.

    Returns
    -------
    tuple
        Losses, of the shape of ``t`` and zero where labels do not count; the softmax of
        the scores; and the number of labels that count.
    """
    xp = get_array_module(x)
    y, log_y = _softmax(x)
    labels, counted = _classes(t, ignore_label)
    losses = -log_y[_index(labels)]
    if class_weight is not None:
        losses *= class_weight.astype(x.dtype, copy=False)[labels]
    losses = xp.where(counted, losses, x.dtype.type(0))
    return losses, y, counted.sum()


@kernel(compiled=compiled.hard_gradient, device=device.hard_gradient)
def hard_gradient(y, t, class_weight, ignore_label, scale):
    """Gradient of :func:`hard_losses`.

    Parameters
    ----------
    y : array
        Softmax of the scores.
    t, class_weight, ignore_label
        As for the losses.
    scale : array
        Gradients of the losses, of a shape that broadcasts to theirs.

    Returns
    -------
    array
        Gradient of the scores.
    """
    xp = get_array_module(y)
    labels, counted = _classes(t, ignore_label)
    gx = y.copy()
    gx[_index(labels)] -= 1
    if class_weight is not None:
        scale = scale * class_weight.astype(y.dtype, copy=False)[labels]
    gx *= xp.where(counted, scale, 0).astype(y.dtype, copy=False)[:, None]
    return gx


@kernel(compiled=compiled.soft_losses)
def soft_losses(x, t):
    """Losses of soft labels.

    Parameters
    ----------
    x : array of floats, shape (n, classes, ...)
        Scores.
    t : array of floats, shape (n, classes, ...)
        Probability of each class.

    Returns
    -------
    tuple of array
        Losses, without axis 1; and the softmax of the scores.
    """
    y, log_y = _softmax(x)
    return -(t * log_y).sum(axis=1), y


@kernel(compiled=compiled.soft_gradient)
def soft_gradient(y, t, scale):
    """Gradient of :func:`soft_losses`, where the labels of a sample sum to one.

    Parameters
    ----------
    y : array
        Softmax of the scores.
    t : array
        Labels.
    scale : array
        Gradients of the losses, of a shape that broadcasts to theirs.

    Returns
    -------
    array
        Gradient of the scores.
    """
    return (y - t) * (scale[:, None] if scale.ndim else scale)
