"""asv: steps of whole models, with one thread and with two."""
from models import cases

import chainer_fast


class Models:
    """One step of each model."""

    params = (list(cases.TITLES), cases.THREADS)
    param_names = ['workload', 'threads']
    timeout = 300

    def setup(self, workload, threads):
        chainer_fast.config.num_threads = threads
        self.step = cases.chainer_step(chainer_fast, workload)
        self.step()

    def time_step(self, workload, threads):
        self.step()
