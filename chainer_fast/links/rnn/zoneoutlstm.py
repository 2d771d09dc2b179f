"""Long short-term memory regularized by zoneout."""
from __future__ import annotations

from typing import Any, NoReturn

from chainer_fast.functions.array import broadcast
from chainer_fast.functions.noise import zoneout
from chainer_fast.functions.rnn import lstm
from chainer_fast.links.rnn import _state
from chainer_fast.utils import argument
from chainer_fast.variable import Variable, VariableOrArray


class StatefulZoneoutLSTM(_state.StatefulLink):
    """Long short-term memory that keeps random elements of its state.

    A step is :func:`chainer_fast.functions.lstm` on ``upward(x) + lateral(h)``:

    .. math::

        (a, i, f, o) &= W_x x + W_h h + b, \\\\
        c' &= \\tanh(a) \\odot \\sigma(i) + c \\odot \\sigma(f), \\qquad
        h' = \\tanh(c') \\odot \\sigma(o), \\\\
        c_{\\text{new}} &= d_c \\odot c + (1 - d_c) \\odot c', \\qquad
        h_{\\text{new}} = d_h \\odot h + (1 - d_h) \\odot h'

    where in training the elements of :math:`d_c` and :math:`d_h` are one with the given
    probabilities, and zero otherwise. In testing they are zero.

    Parameters
    ----------
    in_size : int or None
        Length of the inputs; determined at the first call if None.
    out_size : int
        Length of the outputs.
    c_ratio : float
        Probability of keeping an element of the cells.
    h_ratio : float
        Probability of keeping an element of the outputs.

    Attributes
    ----------
    upward : chainer_fast.links.Linear
        Map of the input.
    lateral : chainer_fast.links.Linear
        Map of the last output, without a bias.
    c, h : Variable or None
        Cells and last outputs; None means zeros.
    state_size : int
        Length of the outputs.
    c_ratio, h_ratio : float
        As given.

    See Also
    --------
    chainer_fast.functions.zoneout
    chainer_fast.links.LSTM

    References
    ----------
    D. Krueger et al. `Zoneout: regularizing RNNs by randomly preserving hidden
    activations <https://arxiv.org/abs/1606.01305>`__. ICLR 2017.

    Examples
    --------
    >>> lstm = L.StatefulZoneoutLSTM(3, 5, c_ratio=0.5, h_ratio=0.1)
    >>> for x in np.ones((4, 2, 3), np.float32):
    ...     h = lstm(x)
    >>> h.shape
    (2, 5)
    >>> lstm.reset_state()  # before the next sequence
    """

    h: Variable | None
    c: Variable | None
    c_ratio: float
    h_ratio: float

    _state_names = ('c', 'h')

    def __init__(
            self, in_size: int | None, out_size: int, c_ratio: float = 0.5,
            h_ratio: float = 0.5, **kwargs: NoReturn) -> None:
        if kwargs:
            argument.refuse(kwargs, 'train')
        super().__init__()
        _state.add_maps(self, in_size, out_size)
        self.c_ratio, self.h_ratio = c_ratio, h_ratio
        self.state_size = out_size
        self.reset_state()

    def set_state(self, c: Variable, h: Variable) -> None:
        """Set the state; the variables are moved to the device of the link.

        Parameters
        ----------
        c : Variable
            New cells, of shape ``(batch, out_size)``.
        h : Variable
            New last outputs, of the same shape.

        Raises
        ------
        AssertionError
            If one of them is not a Variable.
        """
        self._replace_state(c, h)

    def forward(self, x: VariableOrArray) -> Variable:
        """Advance by one step.

        Parameters
        ----------
        x : Variable or array
            Input, of shape ``(batch, in_size)``.

        Returns
        -------
        Variable
            New outputs, of shape ``(batch, out_size)``.

        Raises
        ------
        chainer_fast.utils.type_check.InvalidType
            If ``x`` has another dtype or length, or if the batch size is not that of
            the state.
        """
        gates = self.upward(x)
        if self.h is None:
            h = _state.zeros(self, x, self.state_size)
        else:
            h = self.h
            gates += self.lateral(h)
        c = _state.zeros(self, x, self.state_size) if self.c is None else self.c
        rows = gates.shape[0]
        if not c.shape[0] == h.shape[0] == rows:
            # The batch cannot shrink in this link; a batch of one sample is broadcast.
            rows = max(c.shape[0], rows)
            c, h, gates = [
                broadcast.broadcast_to(each, (rows, each.shape[1]))
                for each in (c, h, gates)]
        c_new, h_new = lstm.lstm(c, gates)
        self.c = zoneout.zoneout(c, c_new, self.c_ratio)
        h_mixed: Any = zoneout.zoneout(h, h_new, self.h_ratio)
        self.h = h_mixed
        return h_mixed
