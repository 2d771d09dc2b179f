"""Recurrent networks over whole sequences."""
from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, NoReturn, TypeVar

import numpy

from chainer_fast import _numbers, link, variable
from chainer_fast.backend import using_device
from chainer_fast.functions.array import permutate, transpose_sequence
from chainer_fast.functions.rnn import n_step_rnn as rnn
from chainer_fast.initializers import _get_initializer
from chainer_fast.types import InitializerSpec, NdArray
from chainer_fast.utils import argument
from chainer_fast.variable import Parameter, Variable, VariableOrArray


def argsort_list_descent(lst: Sequence[Any]) -> NdArray:
    """Sort sequences from the longest to the shortest.

    Parameters
    ----------
    lst : list of sequence
        The sequences.

    Returns
    -------
    numpy.ndarray of int32
        Positions of the sequences in the order of the sorted list.
    """
    # The order of sequences of equal length determines their dropout. With this dtype,
    # NumPy sorts on any machine as it did before it had vectorized sorting.
    lengths = numpy.array([len(x) for x in lst], numpy.longdouble)
    return numpy.argsort(-lengths).astype(numpy.int32)


def permutate_list(
        lst: Sequence[Any], indices: Sequence[int] | NdArray,
        inv: bool) -> list[Any]:
    """Reorder a list.

    Parameters
    ----------
    lst : sequence
        The list.
    indices : sequence of int
        Permutation of its positions.
    inv : bool
        False: element ``indices[i]`` moves to position ``i``. True: the inverse.

    Returns
    -------
    list
        The elements in the new order.
    """
    moved = [None] * len(lst)
    for i, k in enumerate(indices):
        if inv:
            moved[k] = lst[i]
        else:
            moved[i] = lst[k]
    return moved


_NStep = TypeVar('_NStep', bound='NStepRNNBase')


class NStepRNNBase(link.ChainList):
    """Stacked recurrent layers for batches of sequences.

    Each child link has the parameters of one direction of one layer: matrices ``w0``,
    ``w1``, ... and biases ``b0``, ``b1``, ... of the gates, first those for the input,
    then those for the last state.

    A subclass defines the attributes ``n_weights`` (the number of matrices) and
    ``use_bi_direction``, the property :attr:`n_cells` and the method :meth:`rnn`.

    Parameters
    ----------
    n_layers : int
        Number of layers.
    in_size : int
        Length of the inputs.
    out_size : int
        Length of the states.
    dropout : float
        Ratio of the dropout between layers.
    initialW : initializer or None
        Initializes all matrices.
    initial_bias : initializer or None
        Initializes all biases; zero if None.

    Attributes
    ----------
    ws, bs : list of list of chainer_fast.Parameter
        Matrices and biases of each direction of each layer.
    n_layers, out_size : int
        As given.
    dropout : float
        As given.
    direction : int
        Number of directions.

    Raises
    ------
    ValueError
        If a retired argument is given: ``use_cudnn``, ``use_bi_direction`` or
        ``activation``.
    """

    ws: list[list[Parameter]]
    bs: list[list[Parameter]]

    # The classes of this package set these attributes instead of defining the methods.
    _function = None
    _n_states = None

    def __init__(
            self, n_layers: int, in_size: int, out_size: int, dropout: float, *,
            initialW: InitializerSpec | None = None,
            initial_bias: InitializerSpec | None = None, **kwargs: NoReturn) -> None:
        argument.refuse(kwargs, 'use_cudnn', 'use_bi_direction', 'activation')
        self.direction = directions = 2 if self.use_bi_direction else 1
        n_layers, out_size = _numbers.plain_all((n_layers, out_size))
        self.n_layers = n_layers
        self.out_size = out_size
        self.dropout = dropout

        weight_init = _get_initializer(initialW)
        bias_init = _get_initializer(0 if initial_bias is None else initial_bias)
        groups = []
        for layer in range(n_layers):
            width = in_size if layer == 0 else directions * out_size
            for _ in range(directions):
                group = link.Link()
                with group.init_scope():
                    for k in range(self.n_weights):
                        columns = width if 2 * k < self.n_weights else out_size
                        setattr(group, 'w%d' % k, variable.Parameter(
                            weight_init, (out_size, columns)))
                        setattr(group, 'b%d' % k, variable.Parameter(
                            bias_init, (out_size,)))
                groups.append(group)
        super().__init__(*groups)
        self._collect_parameters()

    def _collect_parameters(self):
        self.ws, self.bs = [
            [[getattr(group, '%s%d' % (kind, k)) for k in range(self.n_weights)]
             for group in self]
            for kind in 'wb']

    def copy(self: _NStep, mode: str = 'share') -> _NStep:
        """Copy the layers; see :meth:`chainer_fast.Link.copy`."""
        clone = super().copy(mode)
        clone._collect_parameters()
        return clone

    def init_hx(self, xs: Sequence[VariableOrArray]) -> Variable:
        """Return states of zeros.

        Parameters
        ----------
        xs : list of Variable or array
            Sequences; only their number and dtype are used.

        Returns
        -------
        Variable
            States, of shape ``(n_layers * direction, len(xs), out_size)``.
        """
        dtype, batch = xs[0].dtype, len(xs)
        with using_device(self.device):
            return variable.Variable(self.xp.zeros(
                (self.direction * self.n_layers, batch, self.out_size), dtype))

    def rnn(self, *args: Any) -> tuple[Any, ...]:
        """Call the function of this link.

        Parameters
        ----------
        *args
            Number of layers, dropout ratio, states, matrices, biases, and the inputs of
            each step.

        Returns
        -------
        tuple
            Last states, and a tuple of the outputs of each step.
        """
        if self._function is None:
            raise NotImplementedError(
                '%s must define the method rnn' % type(self).__name__)
        return self._function(*args)

    @property
    def n_cells(self) -> int:
        """Number of states: 1, or 2 if there are also cells."""
        if self._n_states is None:
            raise NotImplementedError(
                '%s must define the property n_cells' % type(self).__name__)
        return self._n_states

    def _words_on_error(self, error, args):
        if isinstance(error, TypeError) and len(args) <= self.n_cells:
            names = [*('hx', 'cx')[:self.n_cells], 'xs']
            return ('A call needs %s; None means zeros: rnn(%s, xs)' % (
                ', '.join(names), ', '.join(['None'] * self.n_cells)))
        return None

    def forward(
            self, hx: VariableOrArray, xs: Sequence[VariableOrArray],
            **kwargs: NoReturn) -> tuple[Variable, list[Variable]]:
        """Process whole sequences.

        Parameters
        ----------
        hx : Variable, array or None
            States before the first step, of shape
            ``(n_layers * direction, batch, out_size)``; None means zeros.
        xs : list of Variable or array
            Sequences, each of shape ``(length, in_size)``, of any positive lengths and
            in any order.

        Returns
        -------
        tuple
            States after the last step of each sequence, of the shape of ``hx``, and a
            list with the outputs along each sequence, of shape
            ``(length, direction * out_size)``.

        Raises
        ------
        IndexError
            If a sequence is empty, if there are no sequences, or if the state has
            another batch size.
        AssertionError
            If ``xs`` is not a list or tuple.
        chainer_fast.utils.type_check.InvalidType
            If dtypes do not match. In gated recurrent units, also if the inputs of a
            sequence have another length.
        ValueError
            If the inputs of a sequence have another length, if the dropout ratio is not
            in [0, 1), or if the retired argument ``train`` is given.
        """
        (hy,), ys = self._call([hx], xs, **kwargs)
        return hy, ys

    def _call(self, hs, xs, **kwargs):
        """Sort and transpose the sequences, call :meth:`rnn`, and undo both."""
        argument.refuse(kwargs, 'train')
        assert isinstance(xs, (list, tuple)), (
            'xs must be a list of sequences, arrays of (length, in_size), not %s: '
            'list(xs) is one of the rows of a batch' % type(xs))
        order = argsort_list_descent(xs)
        is_sorted = (order[1:] > order[:-1]).all()
        if not is_sorted:
            xs = permutate_list(xs, order, inv=False)
            places = self.device.send(order)
        if not len(xs[-1]):
            raise IndexError('xs must not hold an empty sequence')
        states = [
            self.init_hx(xs) if state is None
            else state if is_sorted and getattr(state, 'shape', ())[1:2] == (len(xs),)
            else permutate.permutate(state, self.device.send(order), axis=1)
            for state in hs]
        steps = transpose_sequence.transpose_sequence(xs)
        *states, outputs = self.rnn(
            self.n_layers, self.dropout, *states, self.ws, self.bs, steps)
        ys = transpose_sequence.transpose_sequence(outputs)
        if is_sorted:
            return states, list(ys)
        states = [permutate.permutate(s, places, axis=1, inv=True) for s in states]
        return states, permutate_list(ys, order, inv=True)


class NStepRNNTanh(NStepRNNBase):
    """Stacked recurrent layers with the hyperbolic tangent.

    .. math:: h_t = \\tanh(W_0 x_t + W_1 h_{t-1} + b_0 + b_1)

    See :func:`chainer_fast.functions.n_step_rnn`. The sequences need not be sorted.

    Parameters
    ----------
    n_layers : int
        Number of layers.
    in_size : int
        Length of the inputs.
    out_size : int
        Length of the states.
    dropout : float
        Ratio of the dropout between layers, in training.
    initialW : initializer or None
        Initializes all matrices; :class:`chainer_fast.initializers.LeCunNormal` if
        None.
    initial_bias : initializer or None
        Initializes all biases; zero if None.

    See Also
    --------
    chainer_fast.functions.n_step_rnn
    chainer_fast.links.NStepBiRNNTanh

    Examples
    --------
    >>> rnn = L.NStepRNNTanh(2, 3, 5, dropout=0.0)
    >>> xs = [np.ones((length, 3), np.float32) for length in (4, 7)]
    >>> hy, ys = rnn(None, xs)
    >>> hy.shape, [y.shape for y in ys]
    ((2, 2, 5), [(4, 5), (7, 5)])
    """

    n_weights = 2
    use_bi_direction = False
    _n_states = 1
    _function = staticmethod(functools.partial(rnn.n_step_rnn, activation='tanh'))


class NStepRNNReLU(NStepRNNBase):
    """Stacked recurrent layers with the rectifier.

    .. math:: h_t = \\max(0, W_0 x_t + W_1 h_{t-1} + b_0 + b_1)

    See :func:`chainer_fast.functions.n_step_rnn`. The sequences need not be sorted.

    Parameters
    ----------
    n_layers : int
        Number of layers.
    in_size : int
        Length of the inputs.
    out_size : int
        Length of the states.
    dropout : float
        Ratio of the dropout between layers, in training.
    initialW : initializer or None
        Initializes all matrices; :class:`chainer_fast.initializers.LeCunNormal` if
        None.
    initial_bias : initializer or None
        Initializes all biases; zero if None.

    See Also
    --------
    chainer_fast.functions.n_step_rnn
    chainer_fast.links.NStepBiRNNReLU

    Examples
    --------
    >>> rnn = L.NStepRNNReLU(2, 3, 5, dropout=0.0)
    >>> xs = [np.ones((length, 3), np.float32) for length in (4, 7)]
    >>> hy, ys = rnn(None, xs)
    >>> hy.shape, [y.shape for y in ys]
    ((2, 2, 5), [(4, 5), (7, 5)])
    """

    n_weights = 2
    use_bi_direction = False
    _n_states = 1
    _function = staticmethod(functools.partial(rnn.n_step_rnn, activation='relu'))


class NStepBiRNNTanh(NStepRNNBase):
    """Stacked recurrent layers with the hyperbolic tangent, in both directions.

    The formula is that of :class:`NStepRNNTanh`, once along a sequence and once against
    it; a layer's inputs are both outputs of the layer below, one after the other. See
    :func:`chainer_fast.functions.n_step_birnn`. The sequences need not be sorted.

    Parameters
    ----------
    n_layers : int
        Number of layers.
    in_size : int
        Length of the inputs.
    out_size : int
        Length of the states.
    dropout : float
        Ratio of the dropout between layers, in training.
    initialW : initializer or None
        Initializes all matrices; :class:`chainer_fast.initializers.LeCunNormal` if
        None.
    initial_bias : initializer or None
        Initializes all biases; zero if None.

    See Also
    --------
    chainer_fast.functions.n_step_birnn
    chainer_fast.links.NStepRNNTanh

    Examples
    --------
    >>> rnn = L.NStepBiRNNTanh(2, 3, 5, dropout=0.0)
    >>> xs = [np.ones((length, 3), np.float32) for length in (4, 7)]
    >>> hy, ys = rnn(None, xs)
    >>> hy.shape, [y.shape for y in ys]
    ((4, 2, 5), [(4, 10), (7, 10)])
    """

    n_weights = 2
    use_bi_direction = True
    _n_states = 1
    _function = staticmethod(functools.partial(rnn.n_step_birnn, activation='tanh'))


class NStepBiRNNReLU(NStepRNNBase):
    """Stacked recurrent layers with the rectifier, in both directions.

    The formula is that of :class:`NStepRNNReLU`, once along a sequence and once against
    it; a layer's inputs are both outputs of the layer below, one after the other. See
    :func:`chainer_fast.functions.n_step_birnn`. The sequences need not be sorted.

    Parameters
    ----------
    n_layers : int
        Number of layers.
    in_size : int
        Length of the inputs.
    out_size : int
        Length of the states.
    dropout : float
        Ratio of the dropout between layers, in training.
    initialW : initializer or None
        Initializes all matrices; :class:`chainer_fast.initializers.LeCunNormal` if
        None.
    initial_bias : initializer or None
        Initializes all biases; zero if None.

    See Also
    --------
    chainer_fast.functions.n_step_birnn
    chainer_fast.links.NStepRNNReLU

    Examples
    --------
    >>> rnn = L.NStepBiRNNReLU(2, 3, 5, dropout=0.0)
    >>> xs = [np.ones((length, 3), np.float32) for length in (4, 7)]
    >>> hy, ys = rnn(None, xs)
    >>> hy.shape, [y.shape for y in ys]
    ((4, 2, 5), [(4, 10), (7, 10)])
    """

    n_weights = 2
    use_bi_direction = True
    _n_states = 1
    _function = staticmethod(functools.partial(rnn.n_step_birnn, activation='relu'))
