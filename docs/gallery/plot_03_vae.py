"""
A variational autoencoder
=========================

An autoencoder compresses a picture into a few numbers, its code, and reconstructs it
from them. In a variational autoencoder the code is a distribution that is kept close to
a normal distribution, so any draw from the normal distribution decodes to a picture.
Here the code has two numbers, and can be shown in a plane.
"""
import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import norm
from sklearn.datasets import load_digits

import chainer_fast as chainer
import chainer_fast.distributions as D
import chainer_fast.functions as F
import chainer_fast.links as L

np.random.seed(0)

digits = load_digits()
images = (digits.data / 16).astype(np.float32)
train, test = images[:1500], images[1500:]

# %%
# The model
# ---------
# The encoder returns a distribution over codes, the decoder one over pictures: for
# each pixel the probability that it is black. ``D.Independent`` declares the last
# axis to be one outcome, so that ``log_prob`` gives one number for a picture, not 64.


class Encoder(chainer.Chain):

    def __init__(self, n_units, n_code):
        super().__init__()
        with self.init_scope():
            self.hidden1 = L.Linear(None, n_units)
            self.hidden2 = L.Linear(n_units, n_units)
            self.mean = L.Linear(n_units, n_code)
            self.log_scale = L.Linear(n_units, n_code)

    def forward(self, x):
        h = F.relu(self.hidden2(F.relu(self.hidden1(x))))
        return D.Independent(D.Normal(self.mean(h), log_scale=self.log_scale(h)))


class Decoder(chainer.Chain):

    def __init__(self, n_units, n_pixels):
        super().__init__()
        with self.init_scope():
            self.hidden1 = L.Linear(None, n_units)
            self.hidden2 = L.Linear(n_units, n_units)
            self.logit = L.Linear(n_units, n_pixels)

    def forward(self, z):
        h = F.relu(self.hidden2(F.relu(self.hidden1(z))))
        return D.Independent(D.Bernoulli(logit=self.logit(h), binary_check=False))


# %%
# The loss has two parts. The *reconstruction* measures how unlikely the picture is
# under the decoder's output for a draw from the code. The *divergence* measures how
# far the code is from the normal distribution. Their sum is the negative evidence
# lower bound. Gradients go through the draw, because ``sample()`` shifts and scales
# noise.


class Autoencoder(chainer.Chain):

    def __init__(self, n_units=256, n_code=2, n_pixels=64):
        super().__init__()
        with self.init_scope():
            self.encoder = Encoder(n_units, n_code)
            self.decoder = Decoder(n_units, n_pixels)
        self.prior = D.Independent(D.Normal(
            np.zeros(n_code, np.float32), np.ones(n_code, np.float32)),
            reinterpreted_batch_ndims=1)

    def forward(self, x):
        code = self.encoder(x)
        reconstruction = -F.average(self.decoder(code.sample()).log_prob(x))
        divergence = F.average(chainer.kl_divergence(code, self.prior))
        return reconstruction, divergence


model = Autoencoder()
optimizer = chainer.optimizers.Adam(2e-3)
optimizer.setup(model)

# %%
# Training
# --------
# This lesson has no trainer: a plain loop is enough.

n_epochs = 200
history = []
iterator = chainer.iterators.SerialIterator(train, 100)
while iterator.epoch < n_epochs:
    x = chainer.dataset.concat_examples(iterator.next())
    reconstruction, divergence = model(x)
    model.cleargrads()
    (reconstruction + divergence).backward()
    optimizer.update()
    if iterator.is_new_epoch:
        with chainer.using_config('train', False), chainer.no_backprop_mode():
            history.append([float(part.array) for part in model(test)])
        if iterator.epoch % 40 == 0:
            print('epoch %3d: reconstruction %.2f, divergence %.2f nats'
                  % (iterator.epoch, *history[-1]))

reconstruction, divergence = np.array(history).T
epochs = np.arange(1, n_epochs + 1)
figure, ax = plt.subplots(figsize=(6.4, 3.6), layout='constrained')
ax.stackplot(epochs, divergence, reconstruction,
             labels=['divergence', 'reconstruction'], colors=['tan', 'lightsteelblue'])
ax.set_xlim(1, n_epochs)
ax.set_xlabel('epoch')
ax.set_ylabel('loss on the test pictures (nats)')
ax.set_ylim(0, 36)
ax.legend(loc='upper right', ncols=2)
plt.show()

# %%
# The plane of codes
# ------------------
# Each picture of the data is placed at the mean of its code. The network has never seen
# a label, but equal digits are close to each other.

with chainer.using_config('train', False), chainer.no_backprop_mode():
    code = model.encoder(images).distribution.loc.array

figure, ax = plt.subplots(figsize=(6.4, 5.2), layout='constrained')
points = ax.scatter(*code.T, c=digits.target, cmap='tab10', vmin=-.5, vmax=9.5, s=9)
figure.colorbar(points, ticks=range(10), label='digit')
ax.set_aspect('equal')
ax.set_xlabel('first number of the code')
ax.set_ylabel('second number of the code')
plt.show()

# %%
# In the other direction, a grid over the plane is decoded. Its lines are the quantiles
# of the normal distribution, so that the same share of codes falls into each cell.

n = 14
quantiles = norm.ppf((np.arange(n) + .5) / n)
grid = np.array([(a, b) for b in quantiles[::-1] for a in quantiles], np.float32)
with chainer.using_config('train', False), chainer.no_backprop_mode():
    drawn = model.decoder(grid).mean.array
tiles = np.pad(drawn.reshape(n, n, 8, 8), ((0, 0), (0, 0), (1, 1), (1, 1)))
sheet = tiles.transpose(0, 2, 1, 3).reshape(10 * n, 10 * n)

figure, ax = plt.subplots(figsize=(6.4, 6.2), layout='constrained')
ax.imshow(sheet, cmap='gray_r', vmin=0, vmax=1)
ticks = np.arange(0, n, 3)
ax.set_xticks(10 * ticks + 4.5, ['%.1f' % quantiles[i] for i in ticks])
ax.set_yticks(10 * ticks + 4.5, ['%.1f' % quantiles[::-1][i] for i in ticks])
ax.set_xlabel('first number of the code')
ax.set_ylabel('second number of the code')
# sphinx_gallery_thumbnail_number = 3
plt.show()

# %%
# Reconstructed pictures
# ----------------------
# Two numbers cannot contain all information about a picture. The code contains the
# digit, and some properties of the handwriting. Where two digits are close to each
# other in the plane, one may be reconstructed as the other.

chosen = test[[np.flatnonzero(digits.target[1500:] == digit)[0] for digit in range(10)]]
with chainer.using_config('train', False), chainer.no_backprop_mode():
    again = model.decoder(model.encoder(chosen).mean).mean.array

figure, axes = plt.subplots(2, 10, figsize=(6.4, 1.7), layout='constrained')
for row, pictures, label in zip(
        axes, (chosen, again), ('given', 'drawn\nagain'), strict=True):
    for ax, picture in zip(row, pictures, strict=True):
        ax.imshow(picture.reshape(8, 8), cmap='gray_r', vmin=0, vmax=1)
        ax.set_xticks([])
        ax.set_yticks([])
    row[0].set_ylabel(label, rotation=0, ha='right', va='center')
plt.show()
