"""asv: training as a whole, and its input."""
from training import cases

import chainer_fast


class Training:
    """One step of each workload."""

    params = list(cases.TITLES)
    param_names = ['workload']
    timeout = 300

    def setup(self, workload):
        self.step = cases.chainer_step(chainer_fast, workload)
        self.step()

    def time_step(self, workload):
        self.step()
