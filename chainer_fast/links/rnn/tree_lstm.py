"""Long short-term memories over trees."""
from __future__ import annotations

import functools
import operator
from typing import TYPE_CHECKING, Any

from chainer_fast import _numbers
from chainer_fast.backend import using_device
from chainer_fast.functions.activation import sigmoid, tanh
from chainer_fast.functions.array import concat, split_axis
from chainer_fast.functions.rnn import tree_lstm
from chainer_fast.links.connection import linear
from chainer_fast.links.rnn import _state
from chainer_fast.variable import Variable

if TYPE_CHECKING:
    from chainer_fast.links.connection.linear import Linear


class _TreeLSTM(_state.Step):
    """Base of both kinds: stores sizes and handles arguments that are None."""

    def __init__(self, in_size: int | None, out_size: int) -> None:
        super().__init__()
        self.in_size = in_size
        self.state_size: int = _numbers.plain(out_size)

    def _take_apart(self, cshsx):
        """Split arguments into cells, outputs and input; zero outputs may stay None."""
        assert len(cshsx) % 2, (
            'there must be as many cells as outputs and then the input, but there are '
            '%d arguments' % len(cshsx))
        n_children = len(cshsx) // 2
        cs, hs, x = cshsx[:n_children], cshsx[n_children:-1], cshsx[-1]
        given = next((each for each in reversed(cshsx) if each is not None), None)
        if given is None:
            raise ValueError('All inputs (cs, hs, x) are None.')
        if x is None:
            if self.in_size is None:
                raise TypeError(
                    'without an input x, the link must know its length: pass in_size')
            x = self._zeros(given, self.in_size)
        cs = [self._zeros(given, self.state_size) if c is None else c for c in cs]
        return cs, hs, x

    def _zeros(self, like, size):
        with using_device(self.device):
            return self.xp.zeros((like.shape[0], size), like.dtype)


class ChildSumTreeLSTM(_TreeLSTM):
    """Long short-term memory over a tree whose nodes have any number of children.

    It computes from the cells :math:`c_k` and outputs :math:`h_k` of a node's children
    and its input :math:`x`, with :math:`h = \\sum_k h_k`,

    .. math::

        a &= \\tanh(V_a x + W_a h + b_a), \\\\
        i &= \\sigma(V_i x + W_i h + b_i), \\\\
        o &= \\sigma(V_o x + W_o h + b_o), \\\\
        f_k &= \\sigma(V_f x + W_f h_k + b_f), \\\\
        c_{\\text{new}} &= a \\odot i + \\sum_k f_k \\odot c_k, \\\\
        h_{\\text{new}} &= o \\odot \\tanh(c_{\\text{new}}).

    Parameters
    ----------
    in_size : int or None
        Length of the inputs; determined at the first call if None.
    out_size : int
        Length of cells and outputs.

    Attributes
    ----------
    W_x : chainer_fast.links.Linear
        Maps of the input for :math:`a`, :math:`i`, :math:`o` and :math:`f`, one after
        the other.
    W_h_aio : chainer_fast.links.Linear
        Maps of the sum of outputs for the first three, without biases.
    W_h_f : chainer_fast.links.Linear
        Map of each output for :math:`f`, without a bias.
    in_size, state_size : int
        Lengths of inputs and of outputs.

    See Also
    --------
    chainer_fast.functions.tree_lstm
    chainer_fast.links.NaryTreeLSTM

    References
    ----------
    K. S. Tai, R. Socher and C. D. Manning. `Improved semantic representations from
    tree-structured long short-term memory networks
    <https://arxiv.org/abs/1503.00075>`__. ACL 2015.

    Examples
    --------
    Two leaves, and a node above them:

    >>> lstm = L.ChildSumTreeLSTM(3, 5)
    >>> x = np.ones((1, 3), np.float32)
    >>> c, h = lstm(x)
    >>> c, h = lstm(c, c, h, h, x)
    >>> h.shape
    (1, 5)
    """

    def __init__(self, in_size: int | None, out_size: int) -> None:
        out_size = _numbers.plain(out_size)
        super().__init__(in_size, out_size)
        with self.init_scope():
            for name, size, gates in (
                    ('W_x', in_size, 4), ('W_h_aio', out_size, 3),
                    ('W_h_f', out_size, 1)):
                setattr(self, name, linear.Linear(
                    size, gates * _numbers.plain(out_size), nobias=name != 'W_x'))

    def forward(self, *cshsx: Any) -> tuple[Variable, ...]:
        """Compute cells and outputs of a node.

        Parameters
        ----------
        *cshsx : Variable, array or None
            Cells of all children, outputs of all children, each of shape
            ``(batch, out_size)``, and the input of shape ``(batch, in_size)``. None
            means zeros.

        Returns
        -------
        tuple of Variable
            New cells and outputs.

        Raises
        ------
        chainer_fast.utils.type_check.InvalidType
            If dtypes or shapes do not match.
        ValueError
            If all arguments are None.
        TypeError
            If both the input and ``in_size`` are None.
        AssertionError
            If the number of arguments is even.
        IndexError
            If no argument is given.
        """
        if not cshsx:
            raise IndexError('there must be an input')
        cs, hs, x = self._take_apart(cshsx)
        n, k = self.state_size, len(cs)
        aio, f_x = split_axis.split_axis(self.W_x(x), [3 * n], axis=1)
        if not cs:
            a, i, o = split_axis.split_axis(aio, 3, axis=1)
            c = sigmoid.sigmoid(i) * tanh.tanh(a)
            return c, sigmoid.sigmoid(o) * tanh.tanh(c)
        hs = [self._zeros(x, n) if h is None else h for h in hs]
        aio += self.W_h_aio(functools.reduce(operator.add, hs))
        fs = self.W_h_f(concat.concat(hs, axis=0))
        fs = split_axis.split_axis(fs, k, axis=0)
        gates = concat.concat([aio, *[f_x + f for f in fs]], axis=1)
        return tree_lstm.tree_lstm(*cs, gates)


class NaryTreeLSTM(_TreeLSTM):
    """Long short-term memory over a tree whose nodes have a fixed number of children.

    It computes from the cells :math:`c_k` and outputs :math:`h_k` of a node's children
    and its input :math:`x`

    .. math::

        a &= \\tanh(V_a x + \\textstyle\\sum_k W_{ak} h_k + b_a), \\\\
        i &= \\sigma(V_i x + \\textstyle\\sum_k W_{ik} h_k + b_i), \\\\
        o &= \\sigma(V_o x + \\textstyle\\sum_k W_{ok} h_k + b_o), \\\\
        f_l &= \\sigma(V_{fl} x + \\textstyle\\sum_k W_{flk} h_k + b_{fl}), \\\\
        c_{\\text{new}} &= a \\odot i + \\textstyle\\sum_k f_k \\odot c_k, \\\\
        h_{\\text{new}} &= o \\odot \\tanh(c_{\\text{new}}).

    Parameters
    ----------
    in_size : int or None
        Length of the inputs; determined at the first call if None.
    out_size : int
        Length of cells and outputs.
    n_ary : int
        Number of children of a node.

    Attributes
    ----------
    W_x : chainer_fast.links.Linear
        Maps of the input for :math:`a`, :math:`i`, :math:`o` and all :math:`f`, one
        after the other.
    W_h1, W_h2, ... : chainer_fast.links.Linear
        Maps of the output of each child, without biases.
    in_size, state_size, n_ary : int
        As given.

    Raises
    ------
    AssertionError
        If ``n_ary`` is less than one.

    See Also
    --------
    chainer_fast.functions.tree_lstm
    chainer_fast.links.ChildSumTreeLSTM

    References
    ----------
    K. S. Tai, R. Socher and C. D. Manning. `Improved semantic representations from
    tree-structured long short-term memory networks
    <https://arxiv.org/abs/1503.00075>`__. ACL 2015.

    Examples
    --------
    A leaf, which has no children, and a node above two of its kind:

    >>> lstm = L.NaryTreeLSTM(3, 5, n_ary=2)
    >>> x = np.ones((1, 3), np.float32)
    >>> c, h = lstm(None, None, None, None, x)
    >>> c, h = lstm(c, c, h, h, x)
    >>> h.shape
    (1, 5)
    """

    def __init__(self, in_size: int | None, out_size: int, n_ary: int = 2) -> None:
        assert n_ary >= 1, 'n_ary must be at least 1, but is %s' % (n_ary,)
        out_size, n_ary = _numbers.plain_all((out_size, n_ary))
        super().__init__(in_size, out_size)
        self.n_ary = n_ary
        width = (3 + n_ary) * out_size
        with self.init_scope():
            self.W_x: Linear = linear.Linear(in_size, width)
            for k in range(n_ary):
                setattr(self, 'W_h%d' % (k + 1),
                        linear.Linear(out_size, width, nobias=True))

    def forward(self, *cshsx: Any) -> tuple[Variable, ...]:
        """Compute cells and outputs of a node.

        Parameters
        ----------
        *cshsx : Variable, array or None
            Cells of the ``n_ary`` children, their outputs, each of shape
            ``(batch, out_size)``, and the input of shape ``(batch, in_size)``. None
            means zeros.

        Returns
        -------
        tuple of Variable
            New cells and outputs.

        Raises
        ------
        chainer_fast.utils.type_check.InvalidType
            If dtypes or shapes do not match.
        ValueError
            If all arguments are None.
        TypeError
            If both the input and ``in_size`` are None.
        AssertionError
            If the number of arguments is wrong.
        """
        assert len(cshsx) == 2 * self.n_ary + 1, (
            'there must be %s cells, as many outputs and the input, but there are %d '
            'arguments' % (self.n_ary, len(cshsx)))
        cs, hs, x = self._take_apart(cshsx)
        gates = self.W_x(x)
        for k, h in enumerate(hs, 1):
            if h is not None:
                gates += getattr(self, 'W_h%d' % k)(h)
        return tree_lstm.tree_lstm(*cs, gates)
