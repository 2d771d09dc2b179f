"""
Handwritten digits, with a Trainer
==================================

A small convolutional network learns to read digits. This is the usual shape of a
training script: a model, a data set, an updater that performs the steps, and a trainer
with extensions, which measure, print, plot and save.
"""
import os
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

np.random.seed(0)     # initial weights and the order of the data come from here

# %%
# The data
# --------
# There are 1797 pictures of 8 x 8 pixels. Convolutions accept arrays of shape
# ``(batch, channels, height, width)``, so a picture has one channel. A quarter of
# the pictures is kept for the test.

digits = load_digits()
images = (digits.images / 16).astype(np.float32)[:, None]
labels = digits.target.astype(np.int32)
train, test = chainer.datasets.split_dataset_random(
    chainer.datasets.TupleDataset(images, labels), 1347, seed=0)
print('%d to learn from, %d to test' % (len(train), len(test)))

# %%
# The model
# ---------
# Links that are assigned within ``init_scope`` belong to the chain, with their
# parameters. If a size is ``None``, the first call determines it.


class Net(chainer.Chain):

    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.conv1 = L.Convolution2D(None, 16, ksize=3, pad=1)
            self.conv2 = L.Convolution2D(None, 32, ksize=3, pad=1)
            self.hidden = L.Linear(None, 64)
            self.output = L.Linear(None, 10)

    def forward(self, x):
        h = F.relu(self.conv1(x))
        h = F.max_pooling_2d(F.relu(self.conv2(h)), 2)
        h = F.dropout(F.relu(self.hidden(h)), .3)
        return self.output(h)


# %%
# ``L.Classifier`` adds the loss, softmax cross entropy, and reports it together with
# the accuracy. The hook shrinks all weights a little in each step, so that they stay
# small.

model = L.Classifier(Net())
optimizer = chainer.optimizers.Adam()
optimizer.setup(model)
optimizer.add_hook(chainer.optimizer_hooks.WeightDecay(1e-4))

# %%
# The training
# ------------
# The iterators return batches, and the updater performs a step with each. The evaluator
# evaluates the test pictures after every epoch, and a snapshot stores the state of
# the training: ``chainer.serializers.load_npz(path, trainer)`` would resume it.

out = tempfile.TemporaryDirectory()
train_iter = chainer.iterators.SerialIterator(train, 64)
test_iter = chainer.iterators.SerialIterator(test, 450, repeat=False, shuffle=False)

updater = training.updaters.StandardUpdater(train_iter, optimizer)
trainer = training.Trainer(updater, (20, 'epoch'), out=out.name)
trainer.extend(extensions.Evaluator(test_iter, model))
trainer.extend(extensions.snapshot(
    filename='snapshot_{.updater.epoch}', n_retains=1), trigger=(5, 'epoch'))
trainer.extend(extensions.LogReport())
trainer.extend(extensions.PlotReport(
    ['main/loss', 'validation/main/loss'], 'epoch', filename='loss.png'))
trainer.extend(extensions.PlotReport(
    ['main/accuracy', 'validation/main/accuracy'], 'epoch', filename='accuracy.png'))
trainer.extend(extensions.PrintReport(
    ['epoch', 'main/loss', 'validation/main/loss', 'validation/main/accuracy'],
    out=sys.stdout))
trainer.run()

# %%
# The training has written these files.

print(sorted(os.listdir(out.name)))

# %%
# ``PlotReport`` has drawn the two plots again after each epoch. The training loss is
# higher than the test loss, because only in training does dropout turn off some of the
# units.

figure, axes = plt.subplots(2, 1, figsize=(6.4, 7.2), layout='constrained')
for ax, name in zip(axes, ['loss.png', 'accuracy.png'], strict=True):
    ax.imshow(plt.imread(os.path.join(out.name, name)))
    ax.axis('off')
plt.show()
out.cleanup()

# %%
# Predictions
# -----------
# A prediction needs neither dropout nor a graph for gradients.

x, t = chainer.dataset.concat_examples(test)
with chainer.using_config('train', False), chainer.no_backprop_mode():
    probabilities = F.softmax(model.predictor(x)).array
read = probabilities.argmax(axis=1)
print('%d of %d read correctly' % ((read == t).sum(), len(t)))

# %%
# The confusion matrix counts how often each digit (a row) was read as each (a
# column).

confusion = np.zeros((10, 10), int)
np.add.at(confusion, (t, read), 1)

figure, ax = plt.subplots(figsize=(5, 5), layout='constrained')
ax.imshow(confusion, cmap='Blues')
for (row, column), count in np.ndenumerate(confusion):
    if count:
        ax.text(column, row, count, ha='center', va='center',
                color='white' if count > 25 else 'black')
ax.set_xticks(range(10))
ax.set_yticks(range(10))
ax.set_xlabel('digit that was read')
ax.set_ylabel('digit that was written')
plt.show()

# %%
# These pictures were the hardest: for them, the network gave the lowest probability to
# the right digit.

hardest = probabilities[np.arange(len(t)), t].argsort()[:8]
figure, axes = plt.subplots(2, 4, figsize=(6.4, 3.9), layout='constrained')
for ax, i in zip(axes.flat, hardest, strict=True):
    ax.imshow(x[i, 0], cmap='gray_r')
    ax.axis('off')
    ax.set_title('%d, read as %d\n(%d %% sure)' % (
        t[i], read[i], 100 * probabilities[i, read[i]]), fontsize=10,
        color='black' if t[i] == read[i] else 'firebrick')
# sphinx_gallery_thumbnail_number = 3
plt.show()
