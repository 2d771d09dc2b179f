r"""
A function of your own
======================

Most new functions are compositions of those in ``chainer.functions``. For other
functions, define a ``FunctionNode``, which computes on plain arrays and implements
its own gradient. This lesson defines one, checks it, and differentiates it twice. It
is the activation function *snake*, a slope with waves on it:

.. math::

   f(x) = x + \frac{\sin^2 ax}{a}, \qquad f'(x) = 1 + \sin 2ax .
"""
import matplotlib.pyplot as plt
import numpy as np

import chainer_fast as chainer
import chainer_fast.functions as F
import chainer_fast.links as L
from chainer_fast import gradient_check
from chainer_fast.utils import type_check

# %%
# The class
# ---------
# ``forward`` receives and returns tuples of arrays. The array module is NumPy or, for
# arrays on a GPU, CuPy. ``forward`` retains the arrays that ``backward`` needs; no
# other arrays are kept in memory.
#
# ``backward`` receives and returns variables, and computes with functions that can be
# differentiated themselves. Double backpropagation needs nothing else.


class Snake(chainer.FunctionNode):
    """Adds waves to a slope."""

    def __init__(self, a):
        self.a = a

    def check_type_forward(self, in_types):
        type_check.expect(
            in_types.size() == 1,
            in_types[0].dtype.kind == 'f')

    def forward(self, inputs):
        self.retain_inputs((0,))
        x, = inputs
        xp = chainer.backend.get_array_module(x)
        return x + xp.sin(self.a * x) ** 2 / self.a,

    def backward(self, indexes, grad_outputs):
        x, = self.get_retained_inputs()
        gy, = grad_outputs
        return gy * (1 + F.sin(2 * self.a * x)),


def snake(x, a=1.):
    """Apply snake to each element: the function that users call."""
    return Snake(a).apply((x,))[0]


# %%
# Inputs other than floating-point arrays raise an error, which names the function, what
# was expected and what was given.

try:
    snake(np.arange(3))
except type_check.InvalidType as error:
    print(error)

# %%
# Is the gradient right?
# ----------------------
# ``gradient_check`` compares ``backward`` with numerical differences of ``forward``,
# and fails if they differ. It uses double precision, because the differences are
# small.

np.random.seed(1)
x, gy, ggx = np.random.uniform(-3, 3, (3, 4, 5))

gradient_check.check_backward(snake, x, gy, dtype=np.float64)
gradient_check.check_double_backward(snake, x, gy, ggx, dtype=np.float64)
print('both gradients are right')

# %%
# If the gradient is wrong, the check fails. Here a factor of 2 is missing. The output
# is the first part of the message; the rest of it shows the arrays.


class Mistaken(Snake):

    def backward(self, indexes, grad_outputs):
        x, = self.get_retained_inputs()
        return grad_outputs[0] * (1 + F.sin(self.a * x)),


try:
    gradient_check.check_backward(
        lambda x: Mistaken(1.).apply((x,))[0], x, gy, dtype=np.float64)
except AssertionError as error:
    message = str(error)
    print(message[message.index('derivative'):].split('\n\n')[0])

# %%
# Its shape
# ---------
# ``chainer.grad`` returns the slope, and with ``enable_double_backprop=True`` the slope
# can be differentiated again. The dots are computed from the formulas.

figure, axes = plt.subplots(3, 1, figsize=(6.4, 6), sharex=True, layout='constrained')
for a, color in (.5, 'steelblue'), (1., 'darkorange'), (3., 'firebrick'):
    x = chainer.Variable(np.linspace(-4, 4, 321))
    y = snake(x, a)
    slope, = chainer.grad([F.sum(y)], [x], enable_double_backprop=True)
    bend, = chainer.grad([F.sum(slope)], [x])
    for ax, curve in zip(axes, (y, slope, bend), strict=True):
        ax.plot(x.array, curve.array, color, label='a = %g' % a)
    dots = x.array[::20]
    axes[1].plot(dots, 1 + np.sin(2 * a * dots), '.', color=color)
    axes[2].plot(dots, 2 * a * np.cos(2 * a * dots), '.', color=color)
for ax, name in zip(axes, ("f(x)", "f'(x)", "f''(x)"), strict=True):
    ax.set_ylabel(name)
    ax.grid(alpha=.3)
axes[0].legend(loc='upper left')
axes[2].set_xlabel('x')
plt.show()

# %%
# In a network
# ------------
# The new function can be used like any other. A network with these waves can continue
# a periodic curve, whereas a network with ReLU continues it as a straight line. The
# curve is the length of the day at 50 degrees of latitude. The networks are trained
# on two years of it, and not on the third.

days = np.arange(3 * 365.)
tilt = np.radians(-23.44) * np.cos(2 * np.pi * (days + 10) / 365)
hours = 24 / np.pi * np.arccos(-np.tan(np.radians(50)) * np.tan(tilt))

x = (days / 365 - 1).astype(np.float32)[:, None]
t = ((hours - 12) / 4).astype(np.float32)[:, None]
seen = days < 2 * 365


def fit(activation):
    np.random.seed(0)
    model = chainer.Sequential(L.Linear(1, 64), activation, L.Linear(64, 1))
    optimizer = chainer.optimizers.Adam(3e-3).setup(model)
    optimizer.add_hook(chainer.optimizer_hooks.WeightDecay(1e-4))
    for _ in range(3000):
        loss = F.mean_squared_error(model(x[seen]), t[seen])
        model.cleargrads()
        loss.backward()
        optimizer.update()
    with chainer.no_backprop_mode():
        return model(x).array[:, 0] * 4 + 12


def waves(x):
    return snake(x, 10.)


figure, ax = plt.subplots(figsize=(6.4, 3.8), layout='constrained')
ax.axvspan(0, 730, color='whitesmoke')
ax.plot(days, hours, 'k:', label='true')
ax.plot(days, fit(waves), 'firebrick', label='snake')
ax.plot(days, fit(F.relu), 'steelblue', label='ReLU')
ax.set_ylim(5, 20)
ax.text(365, 5.5, 'learned', ha='center')
ax.text(912, 5.5, 'never seen', ha='center')
ax.set_xlabel('day')
ax.set_ylabel('length of the day (hours)')
ax.legend(ncols=3, loc='upper left')
# sphinx_gallery_thumbnail_number = 2
plt.show()
