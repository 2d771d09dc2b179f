"""Convolutions and batch normalization at the sizes of models: results and times.

``small batch`` compares two examples with float64 on the processor. ``batch 32`` and
``batch 256`` are compared with the kernels that do without cuDNN, under two limits of
workspaces, and timed. "refused" counts the graphs that cuDNN had no engine for.
"""
import functools
import typing as tp

import numpy as np

import chainer_fast as chainer
import chainer_fast.functions as F
from chainer_fast.backends import _cudnn, _image_orders, cuda
from chainer_fast.backends._cudnn import library, sessions
from tests.card.programs import TOLERANCES, difference, draw, gradients, on_host

LIMITS = {'default': _cudnn._WORKSPACE, '256 MiB': 256 << 20}
MODES = {'float32': ('f', 'auto'), 'tf32': ('f', 'always'), 'float16': ('e', 'auto')}
# Examples that the kernels without cuDNN take at a time: their columns need memory.
CHUNK = 8
SECONDS = .03


class Convolution(tp.NamedTuple):
    """A convolution of square images, padded so that they keep their size."""

    inputs: int
    outputs: int
    ksize: int
    stride: int
    length: int

    def __str__(self):
        return 'convolution %d-%d, %dx%d/%d of %d' % (
            self.inputs, self.outputs, self.ksize, self.ksize, self.stride, self.length)

    def shapes(self, batch):
        return ((batch, self.inputs, self.length, self.length),
                (self.outputs, self.inputs, self.ksize, self.ksize))

    def __call__(self, x, W):
        return F.convolution_2d(x, W, stride=self.stride, pad=(self.ksize - 1) // 2)


class Normalization(tp.NamedTuple):
    """A batch normalization of square images."""

    channels: int
    length: int

    def __str__(self):
        return 'batch normalization %d of %d' % self

    def shapes(self, batch):
        return ((batch, self.channels, self.length, self.length), (self.channels,),
                (self.channels,))

    def __call__(self, x, gamma, beta):
        return F.batch_normalization(x, gamma, beta)


def layers():
    """Return the different layers of ResNet-50, and the first ones of VGG."""
    found = [Convolution(3, 64, 7, 2, 224), Normalization(64, 112)]
    inputs, length = 64, 56
    for width, stride in (64, 1), (128, 2), (256, 2), (512, 2):
        smaller, outputs = length // stride, 4 * width
        found += [
            Convolution(inputs, width, 1, stride, length),
            Convolution(width, width, 3, 1, smaller), Normalization(width, smaller),
            Convolution(width, outputs, 1, 1, smaller), Normalization(outputs, smaller),
            Convolution(inputs, outputs, 1, stride, length),
            Convolution(outputs, width, 1, 1, smaller)]
        inputs, length = outputs, smaller
    found += [Convolution(3, 64, 3, 1, 224), Convolution(64, 64, 3, 1, 224),
              Convolution(64, 128, 3, 1, 112), Convolution(128, 128, 3, 1, 112)]
    return list(dict.fromkeys(found))


def shrunken(layer):
    """Return a tiny layer of the same kind."""
    if isinstance(layer, Normalization):
        return Normalization(layer.channels // 32, max(layer.length // 14, 2))
    return layer._replace(
        inputs=max(layer.inputs // 32, 1), outputs=layer.outputs // 32,
        length=max(layer.length // 14, 2))


def dtypes(layer, batch, mode):
    """Return shapes and dtypes of arguments; parameters are in single precision."""
    return [(shape, MODES[mode][0] if len(shape) > 1 else 'f')
            for shape in layer.shapes(batch)]


def on_card(shape, dtype, order='plain'):
    """Return random numbers drawn by the card, in an order of memory."""
    x = cuda.cupy.random.standard_normal(shape, dtype='f').astype(dtype)
    return _image_orders.dense(x, True) if order == 'last' and x.ndim > 1 else x


def settings(mode, limit='default'):
    """Return the context of a mode, after setting the limit of workspaces."""
    cuda.set_max_workspace_size(LIMITS[limit])
    return chainer.using_config('use_cudnn_tensor_core', MODES[mode][1])


def small(layer, mode):
    """Compare two examples with the processor."""
    arrays = [draw(i, *shape).astype(dtype)
              for i, (shape, dtype) in enumerate(dtypes(layer, 2, mode))]
    with settings(mode):
        found = gradients(layer, [cuda.to_gpu(a) for a in arrays])
    return {'error': difference(found, on_host(layer, arrays), TOLERANCES[mode])}


def without_cudnn(layer, arrays, gy):
    """Return the same as ``gradients``, by the kernels that do without cuDNN."""
    with chainer.using_config('use_cudnn', 'never'):
        if isinstance(layer, Normalization):
            return gradients(layer, arrays, gy)
        x, W = arrays
        y, gx, gW = cuda.cupy.empty_like(gy), cuda.cupy.empty_like(x), 0
        for i in range(0, len(x), CHUNK):
            part = np.s_[i:i + CHUNK]
            y[part], gx[part], each = gradients(layer, [x[part], W], gy[part])
            gW += each.astype('f')
        return y, gx, gW


def milliseconds(work):
    """Return the time that the card takes for some work, which has run before."""
    def measure(count):
        start, stop = cuda.Event(), cuda.Event()
        start.record()
        for _ in range(count):
            work()
        stop.record()
        stop.synchronize()
        return cuda.cupy.cuda.get_elapsed_time(start, stop) / count
    return round(measure(max(1, min(20, int(1e3 * SECONDS / measure(1))))), 4)


def full(layer, batch, limit, mode, order):
    """Compare a batch with the other kernels, and time it."""
    plans = sessions.session().plans if library.frontend() else {}
    known = set(plans)
    arrays = [on_card(*each, order) for each in dtypes(layer, batch, mode)]
    with settings(mode, limit):
        with chainer.no_backprop_mode():
            shape = layer(*arrays).shape
        gy = on_card(shape, arrays[0].dtype, order)
        found = gradients(layer, arrays, gy)
        new = [kept.plan for key, kept in plans.items() if key not in known]
        error = difference(found, without_cudnn(layer, arrays, gy), TOLERANCES[mode])
        del found

        def forward():
            with chainer.no_backprop_mode():
                layer(*arrays)

        figures = {
            'error': error, 'forward ms': milliseconds(forward),
            'step ms': milliseconds(lambda: gradients(layer, arrays, gy)),
            'graphs': len(new), 'refused': new.count(None)}
        if isinstance(layer, Normalization):
            figures['step without cuDNN ms'] = milliseconds(
                lambda: without_cudnn(layer, arrays, gy))
    return figures


def released(case):
    """Return a case after which no memory is kept for others."""
    def run():
        try:
            return case()
        finally:
            cuda.memory_pool.free_all_blocks()
    return run


def cases(tiny):
    known = [shrunken(layer) if tiny else layer for layer in layers()]
    found = {'small batch/%s/%s' % (mode, layer): functools.partial(small, layer, mode)
             for mode in MODES for layer in known}
    for batch in 32, 256:
        for limit in LIMITS:
            # Channels that come last need less of a workspace.
            orders = ('plain', 'last') if limit == 'default' else ('plain',)
            for mode in MODES:
                for order in orders:
                    found.update({
                        'batch %d/%s/%s/%s/%s' % (batch, limit, mode, order, layer):
                        functools.partial(full, layer, batch // 16 if tiny else batch,
                                          limit, mode, order) for layer in known})
    return {name: released(case) for name, case in found.items()}
