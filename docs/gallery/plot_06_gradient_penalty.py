"""
The gradient in the loss
========================

A loss may contain a gradient. Then training differentiates twice, by *double
backpropagation*. The best known example is WGAN-GP: two competing networks, one of
which, the critic, is constrained to slopes of 1. In a plane the whole critic can be
plotted as a landscape. The points in this plane are flowers.
"""
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_iris

import chainer_fast as chainer
import chainer_fast.functions as F
import chainer_fast.links as L

np.random.seed(0)

iris = load_iris()
petals = iris.data[:, 2:].astype(np.float32)    # length and width, in cm
print('%d flowers; the first: %s' % (len(petals), petals[0]))

# %%
# A gradient that is a variable
# -----------------------------
# ``chainer.grad`` returns gradients. With ``enable_double_backprop=True`` these have
# their own graph, and can be used in any expression that is differentiated later.

x = chainer.Variable(np.array([1., 2., 3.], np.float32))
y = F.sum(x ** 3)
gradient, = chainer.grad([y], [x], enable_double_backprop=True)
print('gradient', gradient.array, '= 3 x ** 2')

F.sum(gradient ** 2).backward()
print('and that of its squared length', x.grad, '= 36 x ** 3')

# %%
# Generator and critic
# --------------------
# Both are perceptrons. ``chainer.Sequential`` is enough for them.


def perceptron(n_out):
    return chainer.Sequential(
        L.Linear(None, 64), F.relu, L.Linear(None, 64), F.relu, L.Linear(None, n_out))


n_noise = 4
generator, critic = perceptron(2), perceptron(1)
generator_optimizer = chainer.optimizers.Adam(2e-4, beta1=0, beta2=.9)
critic_optimizer = chainer.optimizers.Adam(5e-4, beta1=0, beta2=.9)
generator_optimizer.setup(generator)
critic_optimizer.setup(critic)


def generate(n):
    return generator(np.random.randn(n, n_noise).astype(np.float32))


# %%
# The penalty
# -----------
# The critic should be high at real flowers and low at generated ones, as high and low
# as possible without a slope above 1. Its slope is measured at a random point of the
# line from each generated flower to a real one.


def slopes(points):
    """Return how steep the critic is at some points, with a graph."""
    points = chainer.Variable(points)
    gradient, = chainer.grad(
        [F.sum(critic(points))], [points], enable_double_backprop=True)
    return F.sqrt(F.sum(gradient ** 2, axis=1) + 1e-12)


def critic_step(real):
    fake = generate(len(real)).array
    share = np.random.rand(len(real), 1).astype(np.float32)
    steepness = slopes(share * real + (1 - share) * fake)
    distance = F.average(critic(real)) - F.average(critic(fake))
    loss = -distance + 10 * F.average((steepness - 1) ** 2)
    critic.cleargrads()
    loss.backward()
    critic_optimizer.update()
    return float(distance.array), float(F.average(steepness).array)


def generator_step(n):
    loss = -F.average(critic(generate(n)))
    generator.cleargrads()
    loss.backward()
    generator_optimizer.update()


# %%
# Training
# --------
# The critic performs five steps for each step of the generator. The state is stored
# four times.

lengths = np.linspace(-1, 8, 73).astype(np.float32)
widths = np.linspace(-1.5, 4, 45).astype(np.float32)
grid = np.stack(np.meshgrid(lengths, widths), axis=-1)
n_steps, batch = 6000, 64
history, views = [], []
for step in range(n_steps + 1):
    for _ in range(5):
        real = petals[np.random.randint(0, len(petals), batch)]
        history.append(critic_step(real))
    if step in (0, 100, 500, n_steps):
        with chainer.no_backprop_mode():
            height = critic(grid.reshape(-1, 2)).array.reshape(grid.shape[:2])
            views.append((step, height, generate(150).array))
    generator_step(batch)

# %%
# The landscape
# -------------
# Colour is the height of the critic. Generated flowers move uphill, to the real ones.
# There are short and long petals, of different kinds of iris, and few of medium length;
# the network learns this gap last.

figure, axes = plt.subplots(2, 2, figsize=(6.4, 6), sharex=True, sharey=True,
                            layout='constrained')
for ax, (step, height, points) in zip(axes.flat, views, strict=True):
    height = height - height.mean()
    shades = ax.contourf(lengths, widths, height, cmap='PuOr_r',
                         levels=np.arange(-4, 4.1, .5), extend='both')
    ax.plot(*petals.T, 'k.', ms=3, label='real')
    ax.plot(*points.T, '.', color='limegreen', ms=3, label='generated')
    ax.set_xlim(lengths[0], lengths[-1])
    ax.set_ylim(widths[0], widths[-1])
    ax.set_title('after %d steps' % step)
for ax in axes[1]:
    ax.set_xlabel('length of the petal (cm)')
for ax in axes[:, 0]:
    ax.set_ylabel('width of the petal (cm)')
figure.colorbar(shades, ax=axes, label='height of the critic (cm)',
                location='bottom', shrink=.6)
figure.legend(*ax.get_legend_handles_labels(), loc='outside upper center', ncols=2,
              markerscale=3)
plt.show()

# %%
# Held to slopes of 1, the critic's mean difference between real and generated
# estimates how far a petal has to be moved, on average, to turn the generated flowers
# into the real ones. Below zero, the generator is ahead of the critic, which has to
# learn the positions of the flowers again.

distance, steepness = np.array(history).reshape(-1, 5, 2).mean(axis=1).T
figure, axes = plt.subplots(2, 1, figsize=(6.4, 5), layout='constrained', sharex=True)
axes[0].plot(distance, color='steelblue')
axes[0].set_ylabel('distance (cm)')
axes[1].plot(steepness, color='darkorange')
axes[1].axhline(1, color='gray', linestyle=':')
axes[1].set_ylabel('mean slope of the critic')
axes[1].set_xlabel('steps of the generator')
axes[0].axhline(0, color='gray', linestyle=':')
plt.show()

# %%
# The flowers
# -----------
# In numbers: means and standard deviations in centimetres.

with chainer.no_backprop_mode():
    generated = generate(150).array
print('                 length         width     correlation')
for name, points in ('real', petals), ('generated', generated):
    print('%-10s  %.2f +- %.2f   %.2f +- %.2f   %.2f' % (
        name, points[:, 0].mean(), points[:, 0].std(), points[:, 1].mean(),
        points[:, 1].std(), np.corrcoef(points.T)[0, 1]))
