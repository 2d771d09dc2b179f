"""``GRU`` of Chainer 1, which receives its state and whose size comes first."""
from chainer_fast import links
from chainer_fast.legacy import _report
from chainer_fast.links.rnn import gru

_WHAT = 'chainer.links.GRU with n_units first'


class StatelessGRU(links.StatelessGRU):
    """GRU that receives its state as an argument.

    Parameters
    ----------
    n_units : int
        Size of the state.
    n_inputs : int or None
        Size of the input; that of the state if None.
    init, inner_init, bias_init
        As for :class:`chainer_fast.links.StatelessGRU`.
    """

    def __init__(self, n_units, n_inputs=None, init=None, inner_init=None, bias_init=0):
        _report.adapted(_WHAT)
        super().__init__(n_units if n_inputs is None else n_inputs, n_units,
                         init, inner_init, bias_init)
        if type(self) is StatelessGRU:
            # Only the arguments differed; pickles need no legacy mode.
            self.__class__ = links.StatelessGRU


class GRU(links.GRU):
    """The current GRU, unless the arguments can only mean that of Chainer 1."""

    __doc__ = links.GRU.__doc__

    def __new__(cls, *args, **kwargs):
        if len(args) + len(kwargs.keys() & {'in_size', 'out_size'}) == 1 or (
                {'n_units', 'n_inputs'} & kwargs.keys()):
            return StatelessGRU(*args, **kwargs)
        return super().__new__(cls)


# Pickles refer to the current class.
GRU.__module__, GRU.__qualname__ = gru.__name__, 'GRU'


def install(patches):
    """Replace the current class."""
    if 'v1' in patches.named:
        patches.set(links, 'GRU', StatelessGRU)
    else:
        patches.set(links, 'GRU', GRU)
        patches.set(gru, 'GRU', GRU)
