"""Training steps of larger batches and deeper models, with their memory.

A step of a row should cost as many times that of the row before as it has work.
``:forget`` are the same steps by :func:`chainer.functions.forget`, and by
``torch.utils.checkpoint``: they keep the inputs of each block alone, and compute the
rest once more in the backward pass.
"""
import importlib

import numpy as np
from models.cases import ROWS as MODELS

_RESNET = {**MODELS['resnet50'][1], 'image': 224}
_TRANSFORMER = {'layers': 6, 'batch': 8, 'length': 128, 'd': 256, 'heads': 8}
_TINY = {'layers': 2, **MODELS['transformer'][2]}

ROWS = {
    **{'resnet50:%d' % batch: (
        'ResNet-50, batch %d, 224x224' % batch, {**_RESNET, 'batch': batch},
        MODELS['resnet50'][2]) for batch in (8, 16, 32)},
    'vgg16': ('VGG-16, batch 32, 64x64', {**MODELS['vgg16'][1], 'batch': 32},
              MODELS['vgg16'][2]),
    'transformer': ('6 transformer blocks, d=256, length 128, batch 8',
                    {**_TRANSFORMER, 'forget': False}, {**_TINY, 'forget': False}),
    'transformer:forget': ('the same, by F.forget',
                           {**_TRANSFORMER, 'forget': True}, {**_TINY, 'forget': True}),
}
TITLES = {'B.' + key: title for key, (title, _, _) in ROWS.items()}
BARS = {key: {'torch': 1} for key in TITLES}
PEERS = 'torch',
THREADS = (1, 2)
ROUNDS = 3


def _step(side, key, tiny):
    key = key.partition('.')[2]
    name = key.partition(':')[0]
    _, arguments, small = ROWS[key]
    folder = 'large' if name == 'transformer' else 'models'
    module = importlib.import_module('%s.sides.%s_side' % (folder, side))
    step, check = getattr(module, name)(**small if tiny else arguments)
    step.check = lambda: [np.array([float(check()) for _ in range(3)])]
    return step


def chainer_step(chainer, key, tiny=False):
    """Return a step by Chainer's interface."""
    from chainer_fast import alias
    alias.install()
    return _step('chainer', key, tiny)


def torch_step(torch, key, tiny=False):
    """Return PyTorch's step."""
    return _step('torch', key, tiny)
