"""Base of links with a state, which consists of variables that are not parameters."""
from __future__ import annotations

from chainer_fast import _numbers, link
from chainer_fast.backend import using_device
from chainer_fast.device_resident import DeviceResidentsVisitor
from chainer_fast.links.connection import linear
from chainer_fast.utils import type_check
from chainer_fast.variable import Variable


class Step(link.Chain):
    """A link that processes one step of each sequence in a batch."""

    def _words_on_error(self, error, args):
        x = args[-1] if args else None
        if not isinstance(error, type_check.InvalidType) or getattr(x, 'ndim', 0) != 3:
            return None
        return ('A call takes one step of each sequence, x of shape (batch, in_size), '
                'but x has the shape %s: if that is (batch, time, in_size), call the '
                'link for each x[:, i]; whole sequences are what L.NStepLSTM, '
                'L.NStepGRU and the like take, as a list of arrays (time, in_size)'
                % (x.shape,))


class StatefulLink(Step):
    """A link that keeps variables from call to call.

    They move between devices with the link, but are neither saved nor updated. A
    subclass lists their names in ``_state_names`` and calls :meth:`reset_state` in its
    constructor: they are attributes of the object, which ``vars`` shows and ``del``
    deletes.
    """

    _state_names = ()

    def device_resident_accept(self, visitor: DeviceResidentsVisitor) -> None:
        super().device_resident_accept(visitor)
        for name in self._state_names:
            state = getattr(self, name)
            if state is not None:
                visitor.visit_variable(state)

    def reset_state(self) -> None:
        """Clear the state to begin a new sequence."""
        for name in self._state_names:
            setattr(self, name, None)

    def _initialize_values(self):
        super()._initialize_values()
        for name in self._state_names:
            setattr(self, name, None)

    def _replace_state(self, *states):
        """Set the state, in the order of the names, moved to the device of the link."""
        pairs = list(zip(self._state_names, states, strict=True))
        for name, state in pairs:
            assert isinstance(state, Variable), (
                'the state %s must be a Variable, not %s: wrap the array'
                % (name, type(state)))
        for name, state in pairs:
            state.to_device(self.device)
            setattr(self, name, state)


def zeros(link, x, size):
    """Return the initial state: zeros for the samples of ``x``."""
    with using_device(link.device):
        return Variable(link.xp.zeros((x.shape[0], size), x.dtype))


def add_maps(link, in_size, out_size, *extra):
    """Add the linear maps of a memory with four gates to a link.

    Parameters
    ----------
    link : chainer_fast.Chain
        The link. Its new children ``upward`` and ``lateral`` map the input and the last
        output.
    in_size : int or None
        Length of the inputs.
    out_size : int
        Length of the outputs.
    *extra : str
        Names of further children that map the cells.
    """
    out_size = _numbers.plain(out_size)
    width = 4 * out_size
    with link.init_scope():
        link.upward = linear.Linear(in_size, width)
        for name in ('lateral', *extra):
            setattr(link, name, linear.Linear(out_size, width, nobias=True))
            width = out_size
