"""asv: forward and backward of single functions."""
from functions import cases, steps

import chainer_fast


class Functions:
    """One step of each function, at both sizes."""

    params = [list(cases.MAKERS), ['small', 'large']]
    param_names = ['function', 'size']

    def setup(self, function, size):
        self.step = steps.chainer_step(chainer_fast, 'F.%s:%s' % (function, size))
        self.step()

    def time_forward_backward(self, function, size):
        self.step()
