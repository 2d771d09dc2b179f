"""asv: steps of large models, with two threads, and the most memory they take."""
from large import cases

import chainer_fast


class Large:
    """One step of each model."""

    params = list(cases.TITLES)
    param_names = ['workload']
    timeout = 600
    number, repeat, warmup_time = 1, 3, 0

    def setup(self, workload):
        chainer_fast.config.num_threads = 2
        self.step = cases.chainer_step(chainer_fast, workload)
        self.step()

    def time_step(self, workload):
        self.step()

    def peakmem_step(self, workload):
        self.step()
