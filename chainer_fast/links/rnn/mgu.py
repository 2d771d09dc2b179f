"""Minimal gated unit."""
from __future__ import annotations

from typing import TYPE_CHECKING

from chainer_fast import _numbers
from chainer_fast.functions.activation import sigmoid, tanh
from chainer_fast.functions.array import concat
from chainer_fast.functions.math import linear_interpolate
from chainer_fast.links.connection import linear
from chainer_fast.links.rnn import _state
from chainer_fast.variable import Variable, VariableOrArray

if TYPE_CHECKING:
    from chainer_fast.links.connection.linear import Linear


class MGUBase(_state.Step):
    """Parameters of a minimal gated unit.

    Parameters
    ----------
    n_inputs : int
        Length of the inputs.
    n_units : int
        Length of the state.

    Attributes
    ----------
    W_f : chainer_fast.links.Linear
        Map of the state and the input for the forget gate.
    W_h : chainer_fast.links.Linear
        Map of the state and the input for the new state.
    """

    def __init__(self, n_inputs: int, n_units: int) -> None:
        super().__init__()
        n_inputs, n_units = _numbers.plain_all((n_inputs, n_units))
        both = n_inputs + n_units
        with self.init_scope():
            self.W_f: Linear = linear.Linear(both, n_units)
            self.W_h: Linear = linear.Linear(both, n_units)

    def _advance(self, h, x):
        """Return the state that follows ``h`` with the input ``x``."""
        forget = sigmoid.sigmoid(self.W_f(concat.concat([h, x])))
        candidate = tanh.tanh(self.W_h(concat.concat([forget * h, x])))
        return linear_interpolate.linear_interpolate(forget, candidate, h)


class StatelessMGU(MGUBase):
    """Minimal gated unit that receives its state as an argument.

    It computes from the last state :math:`h` and the input :math:`x`

    .. math::

        f &= \\sigma(W_f [h; x] + b_f), \\\\
        h' &= \\tanh(W_h [f \\odot h; x] + b_h), \\\\
        h_{\\text{new}} &= (1 - f) \\odot h + f \\odot h'.

    Parameters
    ----------
    n_inputs : int
        Length of the inputs.
    n_units : int
        Length of the state.

    Attributes
    ----------
    W_f, W_h : chainer_fast.links.Linear
        Maps of the state and the input, with weights of shape
        ``(n_units, n_inputs + n_units)``.

    See Also
    --------
    chainer_fast.links.StatefulMGU

    References
    ----------
    G.-B. Zhou et al. `Minimal gated unit for recurrent neural networks
    <https://arxiv.org/abs/1603.09420>`__. 2016.

    Examples
    --------
    >>> mgu = L.StatelessMGU(3, 5)
    >>> h = np.zeros((2, 5), np.float32)
    >>> for x in np.ones((4, 2, 3), np.float32):
    ...     h = mgu(h, x)
    >>> h.shape
    (2, 5)
    """

    def forward(self, h: VariableOrArray, x: VariableOrArray) -> Variable:
        """Compute the next state.

        Parameters
        ----------
        h : Variable or array
            Last state, of shape ``(batch, n_units)``.
        x : Variable or array
            Input, of shape ``(batch, n_inputs)`` and the same dtype.

        Returns
        -------
        Variable
            Next state, of the shape of ``h``.

        Raises
        ------
        chainer_fast.utils.type_check.InvalidType
            If dtypes or shapes do not match.
        """
        return self._advance(h, x)


class StatefulMGU(_state.StatefulLink, MGUBase):
    """Minimal gated unit that keeps its state from call to call.

    .. math::

        f &= \\sigma(W_f [h; x] + b_f), \\\\
        h_{\\text{new}} &= (1 - f) \\odot h + f \\odot \\tanh(W_h [f \\odot h; x] + b_h)

    See :class:`StatelessMGU` for the reference.

    Parameters
    ----------
    in_size : int
        Length of the inputs.
    out_size : int
        Length of the state.

    Attributes
    ----------
    h : Variable or None
        The state, as returned by the last call. None means zeros.

    See Also
    --------
    chainer_fast.links.StatelessMGU

    Examples
    --------
    >>> mgu = L.StatefulMGU(3, 5)
    >>> for x in np.ones((4, 2, 3), np.float32):
    ...     h = mgu(x)
    >>> h.shape
    (2, 5)
    >>> mgu.reset_state()  # before the next sequence
    """

    h: Variable | None
    _state_names = ('h',)

    def __init__(self, in_size: int, out_size: int) -> None:
        super().__init__(n_inputs=in_size, n_units=out_size)
        self._state_size = out_size
        self.reset_state()

    def set_state(self, h: Variable) -> None:
        """Set the state.

        Parameters
        ----------
        h : Variable
            New state, of shape ``(batch, out_size)``, which is moved to the link's
            device.

        Raises
        ------
        AssertionError
            If ``h`` is not a Variable.
        """
        self._replace_state(h)

    def forward(self, x: VariableOrArray) -> Variable:
        """Advance by one step.

        Parameters
        ----------
        x : Variable or array
            Input, of shape ``(batch, in_size)``.

        Returns
        -------
        Variable
            New state, of shape ``(batch, out_size)``.

        Raises
        ------
        chainer_fast.utils.type_check.InvalidType
            If ``x`` has another dtype or length, or if the batch size is not that of
            the state.
        """
        h = _state.zeros(self, x, self._state_size) if self.h is None else self.h
        self.h = self._advance(h, x)
        return self.h
