"""asv: steps of whole models, with one thread and with two."""
from models import cases

import chainer_fast


class Models:
    """One step of each model."""

    params = list(cases.TITLES)
    param_names = ['workload']
    timeout = 300

    def setup(self, workload):
        self.step = cases.chainer_step(chainer_fast, workload)
        self.step()

    def time_step(self, workload):
        self.step()
