"""Clipping of the norm of all gradients."""
import math

from chainer_fast import backend


class GradientClipping:
    """Hook that scales all gradients down to a global norm.

    The L2 norm is taken over the gradients of all parameters together; if it exceeds
    the threshold, each gradient is scaled so that it becomes the threshold.

    Parameters
    ----------
    threshold : float
        Largest norm.
    """

    name = 'GradientClipping'
    timing = 'pre'

    def __init__(self, threshold):
        self.threshold = threshold

    def __call__(self, opt):
        params = [param for param in opt.target.params(include_uninit=False)
                  if param.grad is not None]
        norm = math.sqrt(sum(_squared_norms(params)))
        if norm == 0:
            return
        rate = self.threshold / norm
        if not rate < 1:        # nor if the norm is no number
            return
        for param in params:
            grad = param.grad
            with backend.using_device(param.device):
                grad *= rate


def _squared_norms(params):
    """Return the squared norms of gradients, one transfer from each device."""
    by_device = {}
    for param in params:
        with backend.using_device(param.device):
            flat = param.grad.ravel()
            by_device.setdefault(param.device, []).append(flat.dot(flat))
    for squares in by_device.values():
        yield float(sum(squares))
