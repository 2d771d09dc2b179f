"""Every optimizer lowers the loss of a small model."""
import numpy as np
import pytest

import chainer_fast as chainer
from chainer_fast import optimizers

SETTINGS = {
    'SGD': dict(lr=.1), 'MomentumSGD': dict(lr=.05), 'NesterovAG': dict(lr=.01),
    'CorrectedMomentumSGD': dict(lr=.05), 'RMSprop': dict(lr=.05),
    'RMSpropGraves': dict(lr=.02), 'AdaGrad': dict(lr=.3), 'AdaDelta': dict(eps=1e-3),
    'SMORMS3': dict(lr=.1), 'MSVAG': dict(lr=.1), 'Adam': dict(alpha=.1),
    'AdamW': dict(alpha=.1, weight_decay_rate=1e-3), 'AMSGrad': dict(alpha=.1),
    'AdaBound': dict(alpha=.1), 'AMSBound': dict(alpha=.1),
}


class Quadratic(chainer.Link):

    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.w = chainer.Parameter(np.array([3, -2, 1], np.float32))

    def forward(self, target):
        return chainer.functions.sum((self.w - target) ** 2)


def test_all_optimizers_are_tried():
    found = {name for name in dir(optimizers)
             if isinstance(getattr(optimizers, name), type)}
    assert found == set(SETTINGS)


@pytest.mark.parametrize('name', sorted(SETTINGS))
def test_loss_falls(device, name):
    link = device.send(Quadratic())
    optimizer = getattr(optimizers, name)(**SETTINGS[name]).setup(link)
    target = device.send(np.array([1, 1, 1], np.float32))
    first = link(target).item()
    for _ in range(60):
        optimizer.update(link, target)
    assert optimizer.t == link.w.update_rule.t == 60
    assert link(target).item() < 0.2 * first
