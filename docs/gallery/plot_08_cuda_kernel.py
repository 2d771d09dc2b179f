r"""
A CUDA kernel of your own
=========================

On a GPU, arithmetic on arrays takes less time than reading and writing memory. A
function of four array operations reads and writes memory four times, a single kernel
only once. This lesson writes such a kernel for *soft thresholding*, which moves every
number towards zero by a threshold, but not beyond zero:

.. math::

   f(x) = \operatorname{sign}(x) \max(|x| - t, 0)

The lesson runs with and without a GPU, and prints which device it uses.
"""
import time

import matplotlib.pyplot as plt
import numpy as np

import chainer_fast as chainer
import chainer_fast.functions as F
from chainer_fast import gradient_check
from chainer_fast.backends import cuda

np.random.seed(0)

if cuda.available:
    device = chainer.get_device('@cupy:0')
    print('Everything below runs on the GPU.')
else:
    device = chainer.get_device('@numpy')
    print('There is no GPU here, or no CuPy: everything below runs on the processor,\n'
          'in the NumPy form of the function. The CUDA kernels are not used.')

# %%
# The kernels
# -----------
# Each kernel is a line of CUDA C++ for one element, with the names and types of its
# inputs and outputs. ``T`` means the type of the arrays. CuPy adds the rest: a thread
# for each element, strides, and broadcasting. ``elementwise`` compiles the kernel at
# the first call, and returns the same kernel from then on.


def shrink_kernel():
    return cuda.elementwise(
        'T x, T t', 'T y',
        'y = x > t ? x - t : x < -t ? x + t : T(0)',
        'shrink')


def gate_kernel():
    return cuda.elementwise(
        'T x, T g, T t', 'T y',
        'y = x > t || x < -t ? g : T(0)',
        'shrink_gate')


# %%
# The functions
# -------------
# ``forward_gpu`` is called for arrays on a GPU, ``forward_cpu`` for NumPy arrays. The
# gradient passes where the number is beyond the threshold. It is a separate function
# with its own kernel, and its gradient is the same function again, so it can be
# differentiated twice.


class Shrink(chainer.FunctionNode):

    def __init__(self, t):
        self.t = t

    def forward_cpu(self, inputs):
        self.retain_inputs((0,))
        x, = inputs
        return np.sign(x) * np.maximum(abs(x) - x.dtype.type(self.t), 0),

    def forward_gpu(self, inputs):
        self.retain_inputs((0,))
        x, = inputs
        return shrink_kernel()(x, self.t),

    def backward(self, indexes, grad_outputs):
        x, = self.get_retained_inputs()
        return Gate(x.array, self.t).apply(grad_outputs)


class Gate(chainer.FunctionNode):
    """Passes numbers for which the element of x is beyond the threshold."""

    def __init__(self, x, t):
        self.x, self.t = x, t

    def forward_cpu(self, inputs):
        g, = inputs
        return g * (abs(self.x) > self.t),

    def forward_gpu(self, inputs):
        g, = inputs
        return gate_kernel()(self.x, g, self.t),

    def backward(self, indexes, grad_outputs):
        return Gate(self.x, self.t).apply(grad_outputs)


def shrink(x, t):
    return Shrink(t).apply((x,))[0]


# %%
# Are they right?
# ---------------
# The gradients are compared with numerical differences on the available device. On a
# GPU the kernel is also compared with the NumPy form. The points avoid the corners,
# at which the function has no gradient.

x = np.random.uniform(.6, 3, (20, 30)) * np.random.choice([-1, 1], (20, 30))
gy, ggx = np.random.randn(2, 20, 30)
on_device = [device.send(array) for array in (x, gy, ggx)]
gradient_check.check_backward(
    lambda x: shrink(x, .5), *on_device[:2], dtype=np.float64)
gradient_check.check_double_backward(
    lambda x: shrink(x, .5) ** 2, *on_device, dtype=np.float64)
print('The gradients are right on', device)

if cuda.available:
    difference = abs(cuda.to_cpu(shrink(on_device[0], .5).array) - shrink(x, .5).array)
    print('The kernel differs from the NumPy form by at most', difference.max())

# %%
# Its shape
# ---------
# Small numbers become zero, which makes codes sparse and removes noise from pictures.

x = chainer.Variable(device.send(np.linspace(-2, 2, 401)))
figure, axes = plt.subplots(2, 1, figsize=(6.4, 4.6), sharex=True, layout='constrained')
for t, color in (.25, 'steelblue'), (.5, 'darkorange'), (1., 'firebrick'):
    y = shrink(x, t)
    slope, = chainer.grad([F.sum(y)], [x])
    for ax, curve in (axes[0], y), (axes[1], slope):
        ax.plot(cuda.to_cpu(x.array), cuda.to_cpu(curve.array), color,
                label='t = %g' % t)
for ax, name in zip(axes, ("f(x)", "f'(x)"), strict=True):
    ax.set_ylabel(name)
    ax.grid(alpha=.3)
axes[0].legend()
axes[1].set_xlabel('x')
plt.show()

# %%
# Time
# ----
# The same function can be composed of existing functions. Then each of them stores
# arrays for the backward pass and reads and writes memory separately. Both are
# measured, forward and backward; on a GPU, the program waits until the GPU has
# finished before it reads the clock. On the processor the existing functions have
# compiled loops, so NumPy operations are faster only for large arrays.


def composed(x, t):
    return F.relu(x - t) - F.relu(-x - t)


def milliseconds(function, x):
    """Return the shortest time of a call with its backward pass."""
    times = []
    for _ in range(10):
        x.cleargrad()
        start = time.perf_counter()
        y = function(x, .5)
        y.grad = y.array
        y.backward()
        if cuda.available:
            cuda.cupy.cuda.Device().synchronize()
        times.append(time.perf_counter() - start)
    return 1000 * min(times)


sizes = [10 ** k for k in range(3, 8)]
own, other = [], []
for size in sizes:
    x = chainer.Variable(device.send(np.random.randn(size).astype(np.float32)))
    own.append(milliseconds(shrink, x))
    other.append(milliseconds(composed, x))

form = 'kernels' if cuda.available else 'NumPy form'
figure, ax = plt.subplots(figsize=(6.4, 3.8), layout='constrained')
ax.loglog(sizes, other, 'o-', color='gray', label='composed of other functions')
ax.loglog(sizes, own, 'o-', color='firebrick', label='function of one\'s own, ' + form)
ax.set_xlabel('elements')
ax.set_ylabel('forward and backward (ms)')
ax.set_title('on the %s' % ('GPU' if cuda.available else 'processor, without a GPU'))
ax.legend()
ax.grid(alpha=.3)
plt.show()

print('With %d million elements: composed %.2f ms, %s %.2f ms'
      % (sizes[-1] // 10 ** 6, other[-1], form, own[-1]))
