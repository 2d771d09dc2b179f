"""asv: steps of optimizers."""
from optimizers import cases

import chainer_fast


class Updates:
    """One step of each optimizer, at both sizes."""

    params = [key for key in cases.TITLES if not key.endswith(':fused')]
    param_names = ['optimizer']

    def setup(self, optimizer):
        self.step = cases.chainer_step(chainer_fast, optimizer)
        self.step()

    def time_update(self, optimizer):
        self.step()
