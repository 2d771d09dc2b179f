"""
Two networks against each other
===============================

A generator draws pictures from noise, and a discriminator distinguishes them from real
ones. Each learns from the other. With convolutions in both, this is a DCGAN. Training
with two optimizers needs its own updater, which this lesson defines.
"""
import sys
import tempfile

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

import chainer_fast as chainer
import chainer_fast.functions as F
import chainer_fast.links as L
from chainer_fast import training
from chainer_fast.training import extensions

np.random.seed(0)

# Pixels from -1 to 1, like the output of tanh.
images = (load_digits().images / 8 - 1).astype(np.float32)[:, None]

# %%
# The two networks
# ----------------
# The generator maps noise to 4 x 4 pixels and doubles the size with a transposed
# convolution. The discriminator does the reverse, and returns a logit: above 0 it
# classifies the picture as real.

n_noise = 32


class Generator(chainer.Chain):

    def __init__(self):
        super().__init__()
        w = chainer.initializers.Normal(.05)
        with self.init_scope():
            self.spread = L.Linear(n_noise, 64 * 4 * 4, initialW=w, nobias=True)
            self.norm1 = L.BatchNormalization(64 * 4 * 4)
            self.up = L.Deconvolution2D(
                64, 32, 4, stride=2, pad=1, initialW=w, nobias=True)
            self.norm2 = L.BatchNormalization(32)
            self.paint = L.Convolution2D(32, 1, 3, pad=1, initialW=w)

    def forward(self, z):
        h = F.relu(self.norm1(self.spread(z))).reshape(-1, 64, 4, 4)
        h = F.relu(self.norm2(self.up(h)))
        return F.tanh(self.paint(h))


class Discriminator(chainer.Chain):

    def __init__(self):
        super().__init__()
        w = chainer.initializers.Normal(.05)
        with self.init_scope():
            self.conv1 = L.Convolution2D(1, 32, 3, pad=1, initialW=w)
            self.conv2 = L.Convolution2D(32, 64, 4, stride=2, pad=1, initialW=w)
            self.judge = L.Linear(64 * 4 * 4, 1, initialW=w)

    def forward(self, x):
        h = F.leaky_relu(self.conv1(x))
        h = F.dropout(F.leaky_relu(self.conv2(h)), .3)
        return self.judge(h)


# %%
# The updater
# -----------
# ``update_core`` performs one step of both. Each network has its own loss. Both
# losses use ``softplus(-x)``, the negative logarithm of the sigmoid of x.
# ``LogReport`` and ``PrintReport`` use the values that are reported here.


class GANUpdater(training.updaters.StandardUpdater):

    def __init__(self, iterator, generator, discriminator, optimizers):
        super().__init__(iterator, optimizers)
        self.generator, self.discriminator = generator, discriminator

    def update_core(self):
        real = self.converter(self.get_iterator('main').next(), self.device)
        z = np.random.randn(len(real), n_noise).astype(np.float32)
        fake = self.generator(z)

        on_real, on_fake = self.discriminator(real), self.discriminator(fake)
        loss = F.average(F.softplus(-on_fake))
        self.generator.cleargrads()
        loss.backward()
        self.get_optimizer('generator').update()
        chainer.report({'loss': loss}, self.generator)

        # The same pictures again, but no gradient into the generator.
        on_fake = self.discriminator(fake.array)
        loss = F.average(F.softplus(-on_real)) + F.average(F.softplus(on_fake))
        self.discriminator.cleargrads()
        loss.backward()
        self.get_optimizer('discriminator').update()
        chainer.report({
            'loss': loss, 'right': ((on_real.array > 0).mean()
                                    + (on_fake.array < 0).mean()) / 2},
            self.discriminator)


generator, discriminator = Generator(), Discriminator()
optimizers = {
    'generator': chainer.optimizers.Adam(1e-3, beta1=.5).setup(generator),
    'discriminator': chainer.optimizers.Adam(4e-4, beta1=.5).setup(discriminator)}

# %%
# Training
# --------
# ``make_extension`` turns a function into an extension. This one stores pictures of the
# generator, always from the same noise.

always = np.random.randn(12, n_noise).astype(np.float32)
drawn = []


def draw(z):
    with chainer.using_config('train', False), chainer.no_backprop_mode():
        return generator(z).array[:, 0]


@training.make_extension(trigger=chainer.training.triggers.ManualScheduleTrigger(
    [1, 3, 10, 30, 60], 'epoch'))
def keep_samples(trainer):
    drawn.append((trainer.updater.epoch, draw(always)))


out = tempfile.TemporaryDirectory()
iterator = chainer.iterators.SerialIterator(images, 64)
updater = GANUpdater(iterator, generator, discriminator, optimizers)
trainer = training.Trainer(updater, (60, 'epoch'), out=out.name)
trainer.extend(keep_samples)
trainer.extend(extensions.LogReport())
trainer.extend(extensions.PrintReport(
    ['epoch', 'generator/loss', 'discriminator/loss', 'discriminator/right'],
    log_report=extensions.LogReport(trigger=(10, 'epoch'), filename=None),
    out=sys.stdout))
trainer.run()

# %%
# From nothing to digits
# ----------------------
# Each column has its own noise, which does not change.

figure, axes = plt.subplots(len(drawn), 12, figsize=(6.4, 3.2), layout='constrained')
for row, (epoch, pictures) in zip(axes, drawn, strict=True):
    for ax, picture in zip(row, pictures, strict=True):
        ax.imshow(picture, cmap='gray_r', vmin=-1, vmax=1)
        ax.set_xticks([])
        ax.set_yticks([])
    row[0].set_ylabel('epoch %d' % epoch, rotation=0, ha='right', va='center')
plt.show()

# %%
# Neither loss approaches zero: as one network improves, the task of the other becomes
# harder. The dotted lines mark a discriminator that can only guess, and this one
# remains close to them. The pictures show more about the training than the losses do.

log = trainer.get_extension('LogReport').log
epochs = [entry['epoch'] for entry in log]
figure, axes = plt.subplots(2, 1, figsize=(6.4, 5), layout='constrained', sharex=True)
for name, color, guess in (('generator', 'darkorange', np.log(2)),
                           ('discriminator', 'steelblue', 2 * np.log(2))):
    axes[0].plot(epochs, [entry[name + '/loss'] for entry in log], color, label=name)
    axes[0].axhline(guess, color='gray', linestyle=':')
axes[0].set_ylabel('loss (nats)')
axes[0].legend(loc='center right')
axes[1].plot(epochs, [100 * entry['discriminator/right'] for entry in log], 'steelblue')
axes[1].axhline(50, color='gray', linestyle=':')
axes[1].set_ylim(40, 100)
axes[1].set_ylabel('pictures that the\ndiscriminator gets right (%)')
axes[1].set_xlabel('epoch')
plt.show()
out.cleanup()

# %%
# Real or drawn?
# --------------
# New noise gives new pictures. The real ones are on the right.

z = np.random.randn(36, n_noise).astype(np.float32)
some = images[np.random.permutation(len(images))[:36], 0]
figure, axes = plt.subplots(1, 2, figsize=(6.4, 3.4), layout='constrained')
figure.get_layout_engine().set(wspace=.1)
for ax, pictures, title in zip(axes, (draw(z), some), ('drawn', 'real'), strict=True):
    tiles = np.pad(pictures, ((0, 0), (1, 1), (1, 1)), constant_values=-1)
    ax.imshow(tiles.reshape(6, 6, 10, 10).transpose(0, 2, 1, 3).reshape(60, 60),
              cmap='gray_r', vmin=-1, vmax=1)
    ax.set_title(title)
    ax.axis('off')
plt.show()
