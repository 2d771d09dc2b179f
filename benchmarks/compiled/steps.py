"""asv: steps beside which those of compilers are timed, plain and static."""
from compiled import cases

import chainer_fast


class Compiled:
    """One step of each model."""

    params = (list(cases.TITLES), ['plain', 'static'], cases.THREADS)
    param_names = ['workload', 'kind', 'threads']
    timeout = 300

    def setup(self, workload, kind, threads):
        chainer_fast.config.num_threads = threads
        self.step = cases.chainer_step(
            chainer_fast, workload, static=kind == 'static')
        for _ in range(3):
            self.step()

    def time_step(self, workload, kind, threads):
        self.step()
