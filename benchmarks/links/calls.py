"""asv: what links themselves cost."""
from links import cases

import chainer_fast


class Links:
    """One step of each workload."""

    params = list(cases.TITLES)
    param_names = ['workload']

    def setup(self, workload):
        self.step = cases.chainer_step(chainer_fast, workload)
        self.step()

    def time_step(self, workload):
        self.step()
