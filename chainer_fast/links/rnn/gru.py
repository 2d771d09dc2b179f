"""Gated recurrent unit."""
from __future__ import annotations

from typing import Any

from chainer_fast.functions.activation import sigmoid, tanh
from chainer_fast.functions.math import linear_interpolate
from chainer_fast.links.connection import linear
from chainer_fast.links.rnn import _state
from chainer_fast.types import InitializerSpec
from chainer_fast.variable import Variable, VariableOrArray


class GRUBase(_state.Step):
    """Parameters of a gated recurrent unit.

    Parameters
    ----------
    in_size : int or None
        Length of the inputs; determined at the first call if None.
    out_size : int
        Length of the state.
    init : initializer or None
        Initializes the weights for the input.
    inner_init : initializer or None
        Initializes the weights for the state.
    bias_init : initializer or None
        Initializes all biases.

    Attributes
    ----------
    W_r, W_z, W : chainer_fast.links.Linear
        Maps of the input for the reset gate, the update gate and the new state.
    U_r, U_z, U : chainer_fast.links.Linear
        Maps of the state.
    """

    def __init__(
            self, in_size: int | None, out_size: int,
            init: InitializerSpec | None = None,
            inner_init: InitializerSpec | None = None,
            bias_init: InitializerSpec | None = None) -> None:
        super().__init__()
        with self.init_scope():
            for gate in ('_r', '_z', ''):
                for name, size, weight_init in (
                        ('W', in_size, init), ('U', out_size, inner_init)):
                    setattr(self, name + gate, linear.Linear(
                        size, out_size, initialW=weight_init, initial_bias=bias_init))

    def _mapped(self, gate, x, h):
        """Return the sum of the maps for a gate."""
        return getattr(self, 'W' + gate)(x) + getattr(self, 'U' + gate)(h)

    def _advance(self, h, x):
        """Return the state that follows ``h`` with the input ``x``."""
        reset = sigmoid.sigmoid(self._mapped('_r', x, h))
        update = sigmoid.sigmoid(self._mapped('_z', x, h))
        candidate = tanh.tanh(self._mapped('', x, reset * h))
        return linear_interpolate.linear_interpolate(update, candidate, h)


class StatelessGRU(GRUBase):
    """Gated recurrent unit that receives its state as an argument.

    It computes from the last state :math:`h` and the input :math:`x`

    .. math::

        r &= \\sigma(W_r x + U_r h), \\\\
        z &= \\sigma(W_z x + U_z h), \\\\
        h' &= \\tanh(W x + U (r \\odot h)), \\\\
        h_{\\text{new}} &= (1 - z) \\odot h + z \\odot h',

    with a bias in each of the six maps.

    Parameters
    ----------
    in_size : int or None
        Length of the inputs; determined at the first call if None.
    out_size : int
        Length of the state.
    init, inner_init : initializer or None
        Initialize the weights for the input and for the state;
        :class:`chainer_fast.initializers.LeCunNormal` if None.
    bias_init : initializer or None
        Initializes all biases; zero if None.

    Attributes
    ----------
    W_r, W_z, W : chainer_fast.links.Linear
        Maps of the input, with weights of shape ``(out_size, in_size)``.
    U_r, U_z, U : chainer_fast.links.Linear
        Maps of the state, with weights of shape ``(out_size, out_size)``.

    See Also
    --------
    chainer_fast.links.StatefulGRU
    chainer_fast.links.NStepGRU

    References
    ----------
    K. Cho et al. `On the properties of neural machine translation: encoder-decoder
    approaches <https://arxiv.org/abs/1409.1259>`__. SSST-8, 2014.

    Examples
    --------
    >>> gru = L.StatelessGRU(3, 5)
    >>> h = np.zeros((2, 5), np.float32)
    >>> for x in np.ones((4, 2, 3), np.float32):
    ...     h = gru(h, x)
    >>> h.shape
    (2, 5)
    """

    def forward(self, h: VariableOrArray, x: VariableOrArray) -> Variable:
        """Compute the next state.

        Parameters
        ----------
        h : Variable or array
            Last state, of shape ``(batch, out_size)``.
        x : Variable or array
            Input, of shape ``(batch, in_size)`` and the same dtype.

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


class StatefulGRU(_state.StatefulLink, GRUBase):
    """Gated recurrent unit that keeps its state from call to call.

    .. math::

        r &= \\sigma(W_r x + U_r h), \\\\
        z &= \\sigma(W_z x + U_z h), \\\\
        h_{\\text{new}} &= (1 - z) \\odot h + z \\odot \\tanh(W x + U (r \\odot h))

    with a bias in each of the six maps. The first step omits the biases of the maps of
    the state. See :class:`StatelessGRU` for the reference.

    Parameters
    ----------
    in_size : int or None
        Length of the inputs; determined at the first call if None.
    out_size : int
        Length of the state.
    init, inner_init : initializer or None
        Initialize the weights for the input and for the state;
        :class:`chainer_fast.initializers.LeCunNormal` if None.
    bias_init : initializer or None
        Initializes all biases; zero if None.

    Attributes
    ----------
    W_r, W_z, W : chainer_fast.links.Linear
        Maps of the input, with weights of shape ``(out_size, in_size)``.
    U_r, U_z, U : chainer_fast.links.Linear
        Maps of the state, with weights of shape ``(out_size, out_size)``.
    h : Variable or None
        The state, as returned by the last call. None means zeros. It is not saved
        with the link.
    state_size : int
        Length of the state.

    See Also
    --------
    chainer_fast.links.StatelessGRU
    chainer_fast.links.NStepGRU

    Examples
    --------
    >>> gru = L.StatefulGRU(3, 5)
    >>> for x in np.ones((4, 2, 3), np.float32):
    ...     h = gru(x)
    >>> h.shape
    (2, 5)
    >>> gru.reset_state()  # before the next sequence
    """

    h: Variable | None
    _state_names = ('h',)

    def __init__(
            self, in_size: int | None, out_size: int,
            init: InitializerSpec | None = None,
            inner_init: InitializerSpec | None = None,
            bias_init: InitializerSpec | None = 0) -> None:
        super().__init__(
            in_size, out_size, init=init, inner_init=inner_init, bias_init=bias_init)
        self.state_size = out_size
        self.reset_state()

    def set_state(self, h: Variable) -> None:
        """Set the state.

        Parameters
        ----------
        h : Variable
            New state, of shape ``(batch, out_size)``. It is moved to the link's
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
        if self.h is None:
            # With a state of zeros there is nothing to reset or to keep. The biases of
            # its maps are omitted.
            z = sigmoid.sigmoid(self.W_z(x))
            self.h = z * tanh.tanh(self.W(x))
        else:
            self.h = self._advance(self.h, x)
        return self.h


class GRU(StatefulGRU):
    """Gated recurrent unit that keeps its state; another name of :class:`StatefulGRU`.

    In Chainer v1 this was the class that receives its state as an argument, which is
    now :class:`StatelessGRU`. A call with two arguments is an error.

    Parameters
    ----------
    in_size : int or None
        Length of the inputs; determined at the first call if None.
    out_size : int
        Length of the state.
    init, inner_init : initializer or None
        Initialize the weights for the input and for the state;
        :class:`chainer_fast.initializers.LeCunNormal` if None.
    bias_init : initializer or None
        Initializes all biases; zero if None.

    See Also
    --------
    chainer_fast.links.StatelessGRU

    Examples
    --------
    >>> gru = L.GRU(3, 5)
    >>> gru(np.ones((2, 3), np.float32)).shape
    (2, 5)
    """

    def forward(self, *args: Any) -> Variable:
        """Advance by one step; see :meth:`StatefulGRU.forward`.

        Parameters
        ----------
        *args : Variable or array
            The input, of shape ``(batch, in_size)``.

        Returns
        -------
        Variable
            New state, of shape ``(batch, out_size)``.

        Raises
        ------
        ValueError
            Unless there is exactly one argument.
        chainer_fast.utils.type_check.InvalidType
            If the input has another dtype or length, or if the batch size is not that
            of the state.
        """
        if len(args) != 1:
            message = 'GRU accepts one argument, the input, but got %d' % len(args)
            if len(args) == 2:
                message += (
                    '. Since Chainer v2 it keeps its state itself; the link that '
                    'accepts a state and an input is StatelessGRU')
            raise ValueError(message)
        return super().forward(args[0])
