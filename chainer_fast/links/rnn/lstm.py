"""Long short-term memory."""
from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from chainer_fast import _numbers, initializers
from chainer_fast.backend import using_device
from chainer_fast.functions.array import concat, split_axis
from chainer_fast.functions.rnn import lstm
from chainer_fast.links.connection import linear
from chainer_fast.links.rnn import _state
from chainer_fast.types import InitializerSpec
from chainer_fast.variable import Variable, VariableOrArray

if TYPE_CHECKING:
    from chainer_fast.links.connection.linear import Linear


def _fill_in_quarters(*pairs):
    """Fill matrices by their initializers, one quarter of each matrix at a time."""
    for k in range(4):
        for array, initializer in pairs:
            rows = len(array) // 4
            initializer(array[k * rows:(k + 1) * rows])


class LSTMBase(_state.Step):
    """Parameters of a long short-term memory.

    Successive rows of the parameters belong to the cell input, the input gate, the
    forget gate and the output gate, in turn. Weights are initialized in four parts of
    consecutive rows, each of shape ``(out_size, inputs)``, and biases in four parts of
    shape ``(1, out_size, 1)``, one for each gate.

    Parameters
    ----------
    in_size : int or None
        Length of the inputs; if None, the first call initializes all parameters.
    out_size : int or None
        Length of the outputs. If None, ``in_size`` is the length of the outputs.
    lateral_init : initializer or None
        Initializes the weights for the last output.
    upward_init : initializer or None
        Initializes the weights for the input.
    bias_init : initializer or None
        Initializes all biases except those of the forget gate; zero if None.
    forget_bias_init : initializer or None
        Initializes the biases of the forget gate; one if None.

    Attributes
    ----------
    upward : chainer_fast.links.Linear
        Map of the input.
    lateral : chainer_fast.links.Linear
        Map of the last output, without a bias.
    state_size : int
        Length of the outputs.
    lateral_init, upward_init, bias_init, forget_bias_init
        As given, with defaults for the biases.
    """

    lateral_init: InitializerSpec | None
    upward_init: InitializerSpec | None
    lateral: Linear

    def __init__(
            self, in_size: int | None, out_size: int | None = None,
            lateral_init: InitializerSpec | None = None,
            upward_init: InitializerSpec | None = None,
            bias_init: InitializerSpec | None = None,
            forget_bias_init: InitializerSpec | None = None) -> None:
        super().__init__()
        self.bias_init = 0 if bias_init is None else bias_init
        self.forget_bias_init = 1 if forget_bias_init is None else forget_bias_init
        self.lateral_init, self.upward_init = lateral_init, upward_init
        size: Any = _numbers.plain(in_size if out_size is None else out_size)
        self.state_size = size
        is_deferred = None in (in_size, out_size)
        # The weights are zero until they are all initialized together.
        with self.init_scope():
            self.upward: Linear = linear.Linear(
                None if is_deferred else in_size, 4 * size, initialW=0)
            self.lateral = linear.Linear(size, 4 * size, nobias=True, initialW=0)
        if not is_deferred:
            self._initialize_params()

    def _initialize_params(self):
        """Initialize the parameters once their shapes are known."""
        get = initializers._get_initializer
        _fill_in_quarters(
            (self.lateral.W.array, get(self.lateral_init)),
            (self.upward.W.array, get(self.upward_init)))
        gates = self.upward.b.array.reshape(1, self.state_size, 4)
        bias_init = get(self.bias_init)
        for k, init in enumerate(
                (bias_init, bias_init, get(self.forget_bias_init), bias_init)):
            init(gates[:, :, k:k + 1])

    def _initialize_values(self):
        super()._initialize_values()
        if self.upward.W.array is not None:
            with using_device(self.device):
                self._initialize_params()

    def _map_input(self, x):
        """Return the contribution of the input to the gates."""
        if self.upward.W.array is None:
            with using_device(self.device):
                self.upward._initialize_params(math.prod(x.shape[1:]))
                self._initialize_params()
        return self.upward(x)

    def _begin(self, x):
        """Return the initial cells for the samples of ``x``."""
        return _state.zeros(self, x, self.state_size)


class StatelessLSTM(LSTMBase):
    """Long short-term memory that receives its state as an argument.

    .. math::

        (a, i, f, o) &= W_x x + W_h h + b, \\\\
        c_{\\text{new}} &= \\tanh(a) \\odot \\sigma(i) + c \\odot \\sigma(f), \\\\
        h_{\\text{new}} &= \\tanh(c_{\\text{new}}) \\odot \\sigma(o)

    See :func:`chainer_fast.functions.lstm`, which is applied to ``upward(x) +
    lateral(h)``.

    Parameters
    ----------
    in_size : int or None
        Length of the inputs; if None, the first call initializes all parameters.
    out_size : int or None
        Length of the outputs. If None, ``in_size`` is the length of the outputs.
    lateral_init, upward_init : initializer or None
        Initializers of the weights for the last output and for the input, applied to
        each gate separately; :class:`chainer_fast.initializers.LeCunNormal` if None.
    bias_init : initializer or None
        Initializes all biases except those of the forget gate; zero if None.
    forget_bias_init : initializer or None
        Initializes the biases of the forget gate; one if None.

    Attributes
    ----------
    upward : chainer_fast.links.Linear
        Map of the input, with a weight of shape ``(4 * out_size, in_size)`` and a bias.
    lateral : chainer_fast.links.Linear
        Map of the last output, with a weight of shape ``(4 * out_size, out_size)``.

    See Also
    --------
    chainer_fast.functions.lstm
    chainer_fast.links.LSTM

    References
    ----------
    S. Hochreiter and J. Schmidhuber. `Long short-term memory
    <https://doi.org/10.1162/neco.1997.9.8.1735>`__. Neural Computation, 1997.

    Examples
    --------
    >>> lstm = L.StatelessLSTM(3, 5)
    >>> c = h = None
    >>> for x in np.ones((4, 2, 3), np.float32):
    ...     c, h = lstm(c, h, x)
    >>> h.shape
    (2, 5)
    """

    def forward(
            self, c: VariableOrArray, h: VariableOrArray,
            x: VariableOrArray) -> tuple[Variable, ...]:
        """Compute the next state.

        Parameters
        ----------
        c : Variable, array or None
            Last cells, of shape ``(batch, out_size)``; None means zeros.
        h : Variable, array or None
            Last outputs, of the same shape; None means zeros.
        x : Variable or array
            Input, of shape ``(batch, in_size)``.

        Returns
        -------
        tuple of Variable
            New cells and new outputs, of the shape of ``c``.

        Raises
        ------
        chainer_fast.utils.type_check.InvalidType
            If dtypes or shapes do not match.
        """
        gates = self._map_input(x)
        if h is not None:
            gates += self.lateral(h)
        if c is None:
            c = self._begin(x)
        return lstm.lstm(c, gates)


class LSTM(_state.StatefulLink, LSTMBase):
    """Long short-term memory that keeps its state from call to call.

    .. math::

        (a, i, f, o) &= W_x x + W_h h + b, \\\\
        c_{\\text{new}} &= \\tanh(a) \\odot \\sigma(i) + c \\odot \\sigma(f), \\\\
        h_{\\text{new}} &= \\tanh(c_{\\text{new}}) \\odot \\sigma(o)

    See :func:`chainer_fast.functions.lstm`, which is applied to ``upward(x) +
    lateral(h)``.

    Sequences of different lengths can be processed together: sort them from the longest
    to the shortest, and in each call pass the samples of the sequences that have not
    ended. The states of the other sequences do not change.

    Parameters
    ----------
    in_size : int or None
        Length of the inputs; if None, the first call initializes all parameters.
    out_size : int or None
        Length of the outputs. If None, ``in_size`` is the length of the outputs.
    lateral_init, upward_init : initializer or None
        Initializers of the weights for the last output and for the input, applied to
        each gate separately; :class:`chainer_fast.initializers.LeCunNormal` if None.
    bias_init : initializer or None
        Initializes all biases except those of the forget gate; zero if None.
    forget_bias_init : initializer or None
        Initializes the biases of the forget gate; one if None.

    Attributes
    ----------
    upward : chainer_fast.links.Linear
        Map of the input, with a weight of shape ``(4 * out_size, in_size)`` and a bias.
    lateral : chainer_fast.links.Linear
        Map of the last output, with a weight of shape ``(4 * out_size, out_size)``.
    c : Variable or None
        Cells, of shape ``(batch, out_size)``; None means zeros. Neither they nor
        the outputs are saved with the link.
    h : Variable or None
        Last outputs, of the same shape; None means zeros.

    See Also
    --------
    chainer_fast.functions.lstm
    chainer_fast.links.StatelessLSTM
    chainer_fast.links.NStepLSTM

    References
    ----------
    S. Hochreiter and J. Schmidhuber. `Long short-term memory
    <https://doi.org/10.1162/neco.1997.9.8.1735>`__. Neural Computation, 1997.

    Examples
    --------
    A batch of two sequences, the second of which ends after the first step:

    >>> rnn = L.LSTM(3, 5)
    >>> y = rnn(np.ones((2, 3), np.float32))
    >>> y = rnn(np.ones((1, 3), np.float32))
    >>> y.shape, rnn.h.shape
    ((1, 5), (2, 5))
    >>> rnn.reset_state()  # before the next sequences
    """

    h: Variable | None
    c: Variable | None

    _state_names = ('c', 'h')

    def __init__(
            self, in_size: int | None, out_size: int | None = None,
            lateral_init: InitializerSpec | None = None,
            upward_init: InitializerSpec | None = None,
            bias_init: InitializerSpec | None = None,
            forget_bias_init: InitializerSpec | None = None) -> None:
        super().__init__(
            in_size, out_size, lateral_init, upward_init, bias_init, forget_bias_init)
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
            Input, of shape ``(batch, in_size)``. The batch may be smaller than at the
            last call.

        Returns
        -------
        Variable
            New outputs, of shape ``(batch, out_size)``.

        Raises
        ------
        chainer_fast.utils.type_check.InvalidType
            If ``x`` has another dtype or length.
        TypeError
            If the batch is larger than at the last call.
        """
        gates = self._map_input(x)
        h, rest, batch = self.h, None, x.shape[0]
        if h is not None:
            if batch > h.shape[0]:
                raise TypeError(
                    'the batch of x, %s, must not be larger than that of the state, '
                    '%d: call reset_state() between sequences' % (batch, h.shape[0]))
            if batch == 0:
                rest = h
            else:
                if batch < h.shape[0]:
                    h, rest = split_axis.split_axis(h, [batch], 0)
                gates += self.lateral(h)
        if self.c is None:
            self.c = self._begin(x)
        self.c, y = lstm.lstm(self.c, gates)
        if rest is None:
            self.h = y
        else:
            self.h = concat.concat([y, rest], 0) if batch else rest
        return y
