r"""
Differentiable arrays
=====================

ChainerX provides arrays like NumPy's that can be differentiated, without variables
and without functions of Chainer. An array may be in several graphs, and each of them
can be turned off separately. This lesson optimizes the throw of a ball,
differentiates a function in two graphs at the same time, and ends with a link on
ChainerX's device.
"""
import matplotlib.pyplot as plt
import numpy as np

import chainer_fast as chainer
import chainer_fast.functions as F
import chainer_fast.links as L
from chainer_fast import chainerx as chx

# %%
# Like NumPy, with gradients
# --------------------------
# ``require_grad`` marks an array that will be differentiated. Computations with it
# are recorded, and ``backward`` stores the gradient in ``grad``. Here the function is
# a bump with two humps, and the slope is compared with the formula.

x = chx.linspace(-3, 3, 13, dtype='float32').require_grad()
y = chx.exp(-chx.square(x - 1)) + chx.exp(-chx.square(x + 1))
chx.sum(y).backward()

a = chx.to_numpy(x.as_grad_stopped())
by_hand = -2 * (a - 1) * np.exp(-(a - 1) ** 2) - 2 * (a + 1) * np.exp(-(a + 1) ** 2)
print(x.grad.dtype, x.grad.device)
print('the same slope:', np.allclose(chx.to_numpy(x.grad), by_hand, atol=1e-6))

# %%
# A throw
# -------
# A ball is thrown against the drag of the air, and should land 20 m away. The program
# that computes its flight is a loop in small steps of time, and is differentiated like
# any other: how far the ball flies depends on the speed and the angle of the throw.


def throw(speed, angle, drag=.04, step=.02):
    """Return the path, up to the point where the ball is at the ground again."""
    x, y = chx.zeros(1), chx.zeros(1)
    vx, vy = speed * chx.cos(angle), speed * chx.sin(angle)
    path = [(x, y)]
    while float(y.as_grad_stopped()) >= 0:
        v = chx.sqrt(vx * vx + vy * vy)
        vx = vx - step * drag * v * vx
        vy = vy - step * (drag * v * vy + 9.81)
        x, y = x + step * vx, y + step * vy
        path.append((x, y))
    # On the straight line between the last two points, where it meets the ground.
    (x0, y0), (x1, y1) = path[-2:]
    landing = x0 + (x1 - x0) * y0 / (y0 - y1)
    return path, landing


# %%
# Each step follows the gradient of the squared error, with a small penalty for speed.
# ``as_grad_stopped`` is the same array outside all graphs, so the next step begins a
# new graph.

speed, angle = chx.array([12.], 'float32'), chx.array([.4], 'float32')
throws = []
for _ in range(100):
    speed, angle = speed.require_grad(), angle.require_grad()
    path, landing = throw(speed, angle)
    loss = chx.square(landing - 20) + .002 * chx.square(speed)
    loss.backward()
    throws.append([chx.to_numpy(chx.concatenate(points).as_grad_stopped())
                   for points in zip(*path, strict=True)])
    speed = speed.as_grad_stopped() - .05 * speed.grad
    angle = angle.as_grad_stopped() - .0005 * angle.grad

print('%.1f m/s at %.0f degrees: %.2f m' % (
    float(speed), np.degrees(float(angle)), float(landing.as_grad_stopped())))

figure, ax = plt.subplots(figsize=(6.4, 3.2), layout='constrained')
shown = 0, 1, 2, 4, 8, 16, 99
colors = plt.colormaps['viridis'](np.linspace(.9, 0, len(shown)))
for i, color in zip(shown, colors, strict=True):
    ax.plot(*throws[i], color=color, label='throw %d' % (i + 1))
ax.plot(20, 0, 'v', color='firebrick', markersize=9)
ax.set_xlabel('m')
ax.set_ylabel('m')
ax.set_ylim(bottom=0)
ax.legend(loc='center left', bbox_to_anchor=(1, .5))
plt.show()

# %%
# Several graphs
# --------------
# A graph has a name. The backward pass through one graph is recorded in the others,
# and graphs do not interfere with each other. Here the inner graph gives the slope of
# a function at ``x``, and the outer graph shows how that slope depends on the factor
# ``w``.

with chx.backprop_scope('inner') as inner, chx.backprop_scope('outer') as outer:
    w = chx.array([2.], 'float32').require_grad(outer)
    x = chx.array([3.], 'float32').require_grad(inner)
    y = w * x * x * x
    y.backward(inner)
    slope = x.get_grad(inner)               # 3 w x ** 2
    print('slope:', float(slope.as_grad_stopped()))
    print('recorded in the outer graph:', slope.is_backprop_required(outer))
    slope.backward(outer)
    print('its derivative by w:', float(w.get_grad(outer).as_grad_stopped()))

# %%
# ``no_backprop_mode`` turns one graph off without affecting the others: the result
# can be differentiated with respect to ``x``, but not to ``w``.

with chx.backprop_scope('inner') as inner, chx.backprop_scope('outer') as outer:
    w = chx.array([2.], 'float32').require_grad(outer)
    x = chx.array([3.], 'float32').require_grad(inner)
    with chx.no_backprop_mode(outer):
        y = w * x * x * x
    print('recorded in the outer graph:', y.is_backprop_required(outer))
    y.backward(inner)
    print('slope:', float(x.get_grad(inner).as_grad_stopped()))

# %%
# A link on ChainerX
# ------------------
# After ``to_device('native')`` the parameters of a link are ChainerX arrays. Links,
# functions and optimizers work as before. The network learns the bump with two humps.

np.random.seed(0)
model = chainer.Sequential(L.Linear(1, 32), F.tanh, L.Linear(32, 1))
model.to_device('native')
optimizer = chainer.optimizers.Adam(.02).setup(model)

x = chx.linspace(-3, 3, 100, dtype='float32').reshape(-1, 1)
t = chx.exp(-chx.square(x - 1)) + chx.exp(-chx.square(x + 1))
for _ in range(400):
    optimizer.update(lambda: F.mean_squared_error(model(x), t))

with chainer.no_backprop_mode():
    y = model(x)
print(type(y.array).__name__, 'on', y.device)

figure, ax = plt.subplots(figsize=(6.4, 3.2), layout='constrained')
ax.plot(chx.to_numpy(x), chx.to_numpy(t), 'k:', label='true')
ax.plot(chx.to_numpy(x), chx.to_numpy(y.array), 'steelblue', label='learned')
ax.legend()
# sphinx_gallery_thumbnail_number = 1
plt.show()
