"""Batch normalization with cuDNN, by the moments of the batch, and its gradients.

Arguments are those of :mod:`chainer_fast.backends.kernels.normalization`, on a GPU. The
functions return ``NotImplemented`` if cuDNN has no engine. It has none for given
moments, for which the package has its own kernel.
"""
import numpy

from chainer_fast.backends import _captures, _image_orders
from chainer_fast.backends._cudnn import graphs, plans, sessions
from chainer_fast.backends._cupy import cupy

_SINGLE = numpy.dtype('f')

# A graph that engines support on all GPUs that have any engine. GPUs below compute
# capability 8.0, such as T4, have none.
_ORDINARY = ((8, 64, 56, 56),)


@sessions.Repeated
def batch_forward(x, gamma, beta, axis, eps):
    """Normalize by the moments of the batch, scale and shift."""
    shape = _shape(x, axis, gamma, beta)
    if shape is None:
        return NotImplemented
    last = _image_orders.channels_last(x)
    channels = gamma.shape
    y = _image_orders.empty(x.shape, x.dtype, last)
    mean, var, inv_std = [cupy.empty(channels, 'f') for _ in range(3)]
    # cuDNN moves running statistics towards the mean and the unbiased variance.
    # Starting from zero, this step makes them the variance of the batch.
    zeros = _zeros(channels[0])
    count = x.size // gamma.size
    arrays = {
        'x': _image_orders.dense(x, last), 'gamma': _image_orders.aligned(gamma),
        'beta': _image_orders.aligned(beta), 'eps': graphs.number(float(eps)),
        'step': graphs.number((count - 1) / count),
        'running_mean': zeros, 'running_var': zeros, 'y': y, 'mean': mean,
        'inv_std': inv_std, 'new_mean': _scratch(channels[0]), 'new_var': var}
    if not plans.run(_forward, (shape,), arrays, x.dtype, last, ordinary=_ORDINARY):
        return NotImplemented
    return y, mean, var, inv_std


@sessions.Repeated
def batch_backward(x, gamma, gy, mean, inv_std, axis, fixed):
    """Gradients of a batch normalized by its moments."""
    shape = _shape(x, axis, gamma, mean, inv_std)
    if fixed or shape is None or gy.dtype != x.dtype:
        return NotImplemented
    last = _image_orders.channels_last(x)
    gx = _image_orders.empty(x.shape, x.dtype, last)
    ggamma, gbeta = [cupy.empty(gamma.shape, 'f') for _ in range(2)]
    arrays = {
        'x': _image_orders.dense(x, last), 'gy': _image_orders.dense(gy, last),
        'gamma': _image_orders.aligned(gamma), 'mean': _image_orders.aligned(mean),
        'inv_std': _image_orders.aligned(inv_std), 'gx': gx, 'ggamma': ggamma,
        'gbeta': gbeta}
    if not plans.run(_backward, (shape,), arrays, x.dtype, last, ordinary=_ORDINARY):
        return NotImplemented
    return gx, ggamma, gbeta


def _shape(x, axis, *parameters):
    """Return a shape of four or five axes for ``x``, or None if unsupported."""
    ndim = x.ndim
    if x.dtype.char not in 'ef' or not 2 <= ndim <= 5 or x.size < 2 * x.shape[1] or (
            tuple(axis) != (0, *range(2, ndim))) or 0 in x.shape:
        return None
    for each in parameters:
        if each.dtype != _SINGLE or not each.flags.c_contiguous:
            return None
    return (*x.shape[:2], *(1,) * (4 - ndim), *x.shape[2:])


def _zeros(count):
    return _kept('zeros', cupy.zeros, count)


def _scratch(count):
    """Return an array for unused results."""
    return _kept('scratch', cupy.empty, count)


def _kept(name, make, count):
    """Return an array of the session with room for a number of elements."""
    session = sessions.session()
    array = getattr(session, name)
    if array is None or len(array) < count:
        array = make(max(count, 4096), 'f')
        if not _captures.is_capturing():    # not zero before a launch
            setattr(session, name, array)
    _captures.keep(array)
    return array


# Graphs
#

def _of_channels(shape):
    return (1, shape[1]) + (1,) * (len(shape) - 2)


def _forward(graph, shape):
    parameters = {
        name: graph.operand(array, _of_channels(shape), _SINGLE)
        for name, array in (
            ('scale', 'gamma'), ('bias', 'beta'), ('in_running_mean', 'running_mean'),
            ('in_running_var', 'running_var'))}
    results = graph.native.batchnorm(
        input=graph.operand('x', shape), epsilon=graph.number('eps', len(shape)),
        momentum=graph.number('step', len(shape)), **parameters)
    graph.result(results[0], 'y', shape)
    for tensor, name in zip(
            results[1:], ('mean', 'inv_std', 'new_mean', 'new_var'), strict=True):
        graph.result(tensor, name, _of_channels(shape), _SINGLE)


def _backward(graph, shape):
    parameters = {
        name: graph.operand(array, _of_channels(shape), _SINGLE)
        for name, array in (
            ('scale', 'gamma'), ('mean', 'mean'), ('inv_variance', 'inv_std'))}
    gx, ggamma, gbeta = graph.native.batchnorm_backward(
        grad=graph.operand('gy', shape), input=graph.operand('x', shape), **parameters)
    graph.result(gx, 'gx', shape)
    for tensor, name in (ggamma, 'ggamma'), (gbeta, 'gbeta'):
        graph.result(tensor, name, _of_channels(shape), _SINGLE)
