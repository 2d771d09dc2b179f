"""Numbers too small for all their digits: computed with, or taken for zeros."""
from __future__ import annotations

import numpy

from chainer_fast._cpu import shared


class FlushDenormal(int):
    """Result of :func:`set_flush_denormal`: whether the processor supports it.

    As a context manager it restores what was set before. It equals True or False.
    """

    _before: bool

    def __new__(cls, supported: bool, before: bool) -> FlushDenormal:
        self = super().__new__(cls, supported)
        self._before = before
        return self

    def __repr__(self) -> str:
        return repr(bool(self))

    __str__ = __repr__

    def __enter__(self) -> FlushDenormal:
        return self

    def __exit__(self, *exc_info: object) -> None:
        shared.set_flush(self._before)


def set_flush_denormal(mode: bool) -> FlushDenormal:
    """Have the processor take zeros for denormal numbers, or compute with them.

    Denormal numbers are closer to zero than any number with all its digits: 1.2e-38 in
    float32, 2.2e-308 in float64. Arithmetic on them takes many processors a hundred
    times as long, and gradients of deep chains pass through them. By default results
    are exact, as Chainer's are.

    Parameters
    ----------
    mode : bool
        Whether zeros replace denormal operands and results.

    Returns
    -------
    FlushDenormal
        True if the processor supports it; nothing is set otherwise. In a ``with``
        statement, the end of the block restores what was set before.

    See Also
    --------
    torch.set_flush_denormal : what PyTorch offers.

    Notes
    -----
    It holds for the thread that calls, the threads that share its loops, and threads
    that it starts later, for all arithmetic there, NumPy's and Python's included. It
    does not hold for other threads that run already, such as those of NumPy's BLAS, nor
    for GPUs. Conversions from and to float16 keep denormal numbers of float16.

    Examples
    --------
    >>> x = chainer.Variable(np.full(2, 1e-38, np.float32))
    >>> with chainer.set_flush_denormal(True):
    ...     y = x / 2
    >>> y.array
    array([0., 0.], dtype=float32)
    >>> (x / 2).array > 0
    array([ True,  True])
    """
    # NumPy would warn of what it finds out about its types under this mode.
    for dtype in numpy.float16, numpy.float32, numpy.float64:
        numpy.finfo(dtype)
    return FlushDenormal(shared.CAN_FLUSH, shared.set_flush(mode))
