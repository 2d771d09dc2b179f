"""Long short-term memory with peephole connections."""
from __future__ import annotations

from chainer_fast.functions.activation import sigmoid, tanh
from chainer_fast.functions.array import reshape, separate
from chainer_fast.links.rnn import _state
from chainer_fast.variable import Variable, VariableOrArray


class StatefulPeepholeLSTM(_state.StatefulLink):
    """Long short-term memory whose gates also depend on the cells.

    It computes from the last cells :math:`c`, the last output :math:`h` and the input
    :math:`x`

    .. math::

        a &= \\tanh(U_a x + W_a h), \\\\
        i &= \\sigma(U_i x + W_i h + P_i c), \\\\
        f &= \\sigma(U_f x + W_f h + P_f c), \\\\
        c_{\\text{new}} &= a \\odot i + f \\odot c, \\\\
        o &= \\sigma(U_o x + W_o h + P_o c_{\\text{new}}), \\\\
        h_{\\text{new}} &= o \\odot \\tanh(c_{\\text{new}}),

    with a bias in each :math:`U`. The rows of the four matrices for the input are
    interleaved in ``upward``, those for the output in ``lateral``. The connections to
    the cells are full matrices, unlike in the paper.

    Parameters
    ----------
    in_size : int or None
        Length of the inputs; determined at the first call if None.
    out_size : int
        Length of the outputs.

    Attributes
    ----------
    upward : chainer_fast.links.Linear
        Map of the input.
    lateral : chainer_fast.links.Linear
        Map of the last output, without a bias.
    peep_i, peep_f, peep_o : chainer_fast.links.Linear
        Maps of the cells, without biases.
    c, h : Variable or None
        Cells and last outputs; None means zeros.
    state_size : int
        Length of the outputs.

    See Also
    --------
    chainer_fast.links.LSTM

    References
    ----------
    F. A. Gers and J. Schmidhuber. `Recurrent nets that time and count
    <https://doi.org/10.1109/IJCNN.2000.861302>`__. IJCNN 2000.

    Examples
    --------
    >>> lstm = L.StatefulPeepholeLSTM(3, 5)
    >>> for x in np.ones((4, 2, 3), np.float32):
    ...     h = lstm(x)
    >>> h.shape, lstm.c.shape
    ((2, 5), (2, 5))
    >>> lstm.reset_state()  # before the next sequence
    """

    h: Variable | None
    c: Variable | None
    _state_names = ('c', 'h')

    def __init__(self, in_size: int | None, out_size: int) -> None:
        super().__init__()
        _state.add_maps(self, in_size, out_size, 'peep_i', 'peep_f', 'peep_o')
        self.state_size = out_size
        self.reset_state()

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
        if self.h is not None:
            gates += self.lateral(self.h)
        c = _state.zeros(self, x, self.state_size) if self.c is None else self.c
        a, i, f, o = separate.separate(
            reshape.reshape(gates, (gates.shape[0], self.state_size, 4)), axis=2)
        i = sigmoid.sigmoid(i + self.peep_i(c))
        f = sigmoid.sigmoid(f + self.peep_f(c))
        self.c = tanh.tanh(a) * i + f * c
        o = sigmoid.sigmoid(o + self.peep_o(self.c))
        self.h = o * tanh.tanh(self.c)
        return self.h
