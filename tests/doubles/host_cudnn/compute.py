"""What the operations of cuDNN compute, in NumPy."""
import itertools

import numpy


def _places(lengths, ksize, pre, post, stride, dilation):
    return [(n + p + q - (k - 1) * d - 1) // s + 1 for n, k, p, q, s, d in zip(
        lengths, ksize, pre, post, stride, dilation, strict=True)]


def _check(what, found, expected):
    if list(found) != list(expected):
        raise RuntimeError('%s has dimensions %s, expected %s'
                           % (what, list(found), list(expected)))


def _padded(shape, pre, post):
    return [*shape[:2], *[n + p + q for n, p, q in zip(
        shape[2:], pre, post, strict=True)]]


def _windows(ksize, outs, stride, dilation):
    """Yield the elements of the window, and the part of the images that they see."""
    for at in itertools.product(*map(range, ksize)):
        yield (..., *at), (..., *[
            slice(i * d, i * d + (n - 1) * s + 1, s)
            for i, n, s, d in zip(at, outs, stride, dilation, strict=True)])


def _inside(shape, pre):
    return (..., *[slice(p, p + n) for n, p in zip(shape[2:], pre, strict=True)])


def _groups(x, groups, axis=1):
    return numpy.split(x, groups, axis)


def fprop(shape, image, weight, pre_padding, post_padding, stride, dilation):
    window = pre_padding, post_padding, stride, dilation
    groups = image.shape[1] // weight.shape[1]
    _check('the filter', [weight.shape[1] * groups], [image.shape[1]])
    outs = _places(image.shape[2:], weight.shape[2:], *window)
    padded = numpy.zeros(_padded(image.shape, *window[:2]), image.dtype)
    padded[_inside(image.shape, pre_padding)] = image
    y = numpy.zeros((image.shape[0], weight.shape[0], *outs), image.dtype)
    if shape is not None:
        _check('the result', shape, y.shape)
    for at, part in _windows(weight.shape[2:], outs, stride, dilation):
        y += numpy.concatenate([
            numpy.einsum('nc...,fc->nf...', x, w) for x, w in zip(
                _groups(padded[part], groups), _groups(weight[at], groups, 0),
                strict=True)], axis=1)
    return y


def dgrad(shape, loss, filter, pre_padding, post_padding, stride, dilation):
    window = pre_padding, post_padding, stride, dilation
    groups = shape[1] // filter.shape[1]
    _check('the loss', loss.shape,
           [shape[0], filter.shape[0],
            *_places(shape[2:], filter.shape[2:], *window)])
    padded = numpy.zeros(_padded(shape, *window[:2]), loss.dtype)
    for at, part in _windows(filter.shape[2:], loss.shape[2:], stride, dilation):
        padded[part] += numpy.concatenate([
            numpy.einsum('nf...,fc->nc...', gy, w) for gy, w in zip(
                _groups(loss, groups), _groups(filter[at], groups, 0), strict=True)],
            axis=1)
    return padded[_inside(shape, pre_padding)]


def wgrad(shape, image, loss, pre_padding, post_padding, stride, dilation):
    window = pre_padding, post_padding, stride, dilation
    groups = image.shape[1] // shape[1]
    _check('the loss', loss.shape,
           [image.shape[0], shape[0], *_places(image.shape[2:], shape[2:], *window)])
    padded = numpy.zeros(_padded(image.shape, *window[:2]), image.dtype)
    padded[_inside(image.shape, pre_padding)] = image
    gW = numpy.empty(shape, image.dtype)
    for at, part in _windows(shape[2:], loss.shape[2:], stride, dilation):
        gW[at] = numpy.concatenate([
            numpy.tensordot(gy, x, [_but_channels(gy)] * 2) for x, gy in zip(
                _groups(padded[part], groups), _groups(loss, groups), strict=True)])
    return gW


def bias(shape, input, bias):
    _check('the bias', bias.shape, [1, input.shape[1], *[1] * (input.ndim - 2)])
    return input + bias


def _but_channels(x):
    return (0, *range(2, x.ndim))


def batchnorm(shape, input, scale, bias, in_running_mean, in_running_var, epsilon,
              momentum):
    axes = _but_channels(input)
    mean = input.mean(axes, keepdims=True)
    var = input.var(axes, keepdims=True)
    inv_var = 1 / numpy.sqrt(var + epsilon.item())
    # The running variance is that of the population.
    count = input.size // input.shape[1]
    part = momentum.item()
    return (
        (input - mean) * inv_var * scale + bias, mean, inv_var,
        (1 - part) * in_running_mean + part * mean,
        (1 - part) * in_running_var + part * var * count / (count - 1))


def batchnorm_inference(shape, input, mean, inv_variance, scale, bias):
    return (input - mean) * inv_variance * scale + bias


def batchnorm_backward(shape, grad, input, scale, mean, inv_variance):
    axes = _but_channels(input)
    x_hat = (input - mean) * inv_variance
    dbias = grad.sum(axes, keepdims=True)
    dscale = (grad * x_hat).sum(axes, keepdims=True)
    count = input.size // input.shape[1]
    dx = scale * inv_variance * (grad - (dbias + x_hat * dscale) / count)
    return dx, dscale, dbias


# The functions, and how many results they have.
OPERATIONS = {
    'conv_fprop': (fprop, 1), 'conv_dgrad': (dgrad, 1), 'conv_wgrad': (wgrad, 1),
    'bias': (bias, 1), 'batchnorm': (batchnorm, 5),
    'batchnorm_inference': (batchnorm_inference, 1),
    'batchnorm_backward': (batchnorm_backward, 3)}
