"""asv: steps of static chains, and the same without."""
from static import cases

import chainer_fast


class StaticChains:
    """One step of each model."""

    params = list(cases.TITLES)
    param_names = ['model']

    def setup(self, model):
        self.step = cases.chainer_step(chainer_fast, model)
        for _ in range(3):
            self.step()

    def time_step(self, model):
        self.step()
