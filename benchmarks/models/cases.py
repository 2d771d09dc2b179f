"""Training steps, and an inference, of the models that people trained with Chainer.

The networks are those of Chainer's examples and of the papers, written for either side
as its users write them: ``sides/chainer_side.py`` runs on Chainer and on chainer_fast,
``sides/torch_side.py`` is PyTorch eager. Both start from the same weights and inputs,
and the comparison refuses losses that differ. Nothing is drawn during a step but the
words of negative sampling, so VGG-16 has no dropout and DCGAN's discriminator adds no
noise; samples are drawn beforehand for the check.

``sides`` has no ``__init__.py``, so that asv, which imports all modules of packages,
does not import it: PyTorch and the released Chainer have separate environments.
"""
import importlib

import numpy as np

# Title, arguments, and arguments with which a step runs in no time, for tests.
ROWS = {
    'resnet50_predict': (
        'ResNet-50, inference, batch 1, 224x224',
        {'batch': 1, 'image': 224, 'width': 64, 'blocks': (3, 4, 6, 3),
         'classes': 1000},
        {'batch': 1, 'image': 32, 'width': 4, 'blocks': (1, 1), 'classes': 5}),
    'resnet50': (
        'ResNet-50, batch 4, 112x112',
        {'batch': 4, 'image': 112, 'width': 64, 'blocks': (3, 4, 6, 3),
         'classes': 1000},
        {'batch': 2, 'image': 32, 'width': 4, 'blocks': (1, 1), 'classes': 5}),
    'vgg16': (
        'VGG-16, batch 4, 64x64',
        {'batch': 4, 'image': 64, 'width': 64, 'units': 4096, 'classes': 1000},
        {'batch': 2, 'image': 32, 'width': 2, 'units': 6, 'classes': 5}),
    'dcgan': (
        'DCGAN, both networks, batch 16, 32x32',
        {'batch': 16, 'channels': 256}, {'batch': 3, 'channels': 16}),
    'cnn': (
        'three 3x3 convolutions with normalization, batch 32, 32x32',
        {'batch': 32, 'image': 32, 'channels': (32, 64, 128), 'classes': 10},
        {'batch': 2, 'image': 8, 'channels': (2, 3, 4), 'classes': 3}),
    'n_step_lstm': (
        'NStepLSTM 2x256, batch 32, length 50',
        {'batch': 32, 'units': 256, 'length': 50},
        {'batch': 2, 'units': 4, 'length': 3}),
    'lstm_cells': (
        'LSTM 128 by cells, 1000 words, 35 steps, batch 20',
        {'batch': 20, 'units': 128, 'length': 35, 'words': 1000},
        {'batch': 2, 'units': 4, 'length': 3, 'words': 5}),
    'perceptron': (
        'perceptron 784-1000-1000-10, batch 100, Adam',
        {'batch': 100, 'sizes': (784, 1000, 1000, 10)},
        {'batch': 3, 'sizes': (7, 5, 5, 4)}),
    'transformer': (
        'transformer block, d=256, length 128, batch 8',
        {'batch': 8, 'length': 128, 'd': 256, 'heads': 8},
        {'batch': 2, 'length': 3, 'd': 8, 'heads': 2}),
    'skip_gram': (
        'skip-gram, 100,000 words, 5 negative samples',
        {'batch': 100, 'contexts': 10, 'words': 100000, 'd': 100, 'samples': 5},
        {'batch': 3, 'contexts': 2, 'words': 11, 'd': 4, 'samples': 2}),
}
TITLES = {'M.' + key: title for key, (title, _, _) in ROWS.items()}
# Least ratios of the others' times. Those with oneDNN are in the second table.
BARS = {key: {'chainer': 1, 'torch': 1} for key in TITLES}
ONEDNN_BARS = {key: {'chainer': 1, 'torch': 1.2} for key in TITLES}
# Arithmetic leaves room for a factor of three where Chainer spends the time elsewhere.
for _bars in BARS, ONEDNN_BARS:
    for _key in 'M.n_step_lstm', 'M.lstm_cells':
        _bars[_key]['chainer'] = 3

# Numbers of threads, and of rounds: a step takes tens or hundreds of milliseconds.
THREADS = (1, 2)
ROUNDS = 7


def _step(side, key, tiny):
    name = key.partition('.')[2]
    _, arguments, small = ROWS[name]
    step, check = getattr(side, name)(**small if tiny else arguments)
    step.check = lambda: [np.array([float(check()) for _ in range(3)])]
    return step


def chainer_step(chainer, key, tiny=False):
    """Return a step by Chainer's interface."""
    if chainer.__name__ == 'chainer_fast':
        from chainer_fast import alias
        alias.install()
    return _step(importlib.import_module('models.sides.chainer_side'), key, tiny)


def torch_step(torch, key, tiny=False):
    """Return PyTorch's step."""
    return _step(importlib.import_module('models.sides.torch_side'), key, tiny)
