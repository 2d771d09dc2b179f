"""asv: rows of the sweep at the medium size."""
from sweep import cases

import chainer_fast


class Sweep:
    """One step of each row."""

    params = [key for key, row in cases.ROWS.items() if row.size == 'medium']
    param_names = ['row']

    def setup(self, row):
        self.step = cases.chainer_step(chainer_fast, row)
        self.step()

    def time_step(self, row):
        self.step()
