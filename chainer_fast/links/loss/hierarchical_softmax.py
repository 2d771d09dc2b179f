"""Softmax over the leaves of a tree."""
from __future__ import annotations

import copy
import heapq
from typing import Any

import numpy

from chainer_fast import _numbers, device_resident, function, link, variable
from chainer_fast._core import kinds
from chainer_fast.backends.dtypes import get_dtype
from chainer_fast.backends.kernels import negative_sampling, record
from chainer_fast.backends.kernels.negative_sampling import compiled
from chainer_fast.device_resident import DeviceResidentsVisitor
from chainer_fast.initializers import uniform
from chainer_fast.types import DTypeSpec, GradArrays, NdArray
from chainer_fast.utils import _labels, type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import Variable, VariableOrArray


class TreeParser:
    """Finds the path from the root of a binary tree to each of its leaves.

    A tree is a leaf or a tuple of two trees. Inner nodes are numbered in preorder: each
    node before those below it, and nodes on the left before those on the right.

    Parameters
    ----------
    dtype : dtype specifier
        dtype of the codes.

    Attributes
    ----------
    next_id : int
        Number of inner nodes so far.
    paths : dict
        For each leaf, an int32 array of the inner nodes on the path to it.
    codes : dict
        For each leaf, an array of the turns at these nodes: 1 for left, -1 for right.
    """

    paths: dict[Any, Any]
    codes: dict[Any, Any]

    def __init__(self, dtype: DTypeSpec) -> None:
        self.dtype = dtype
        self.next_id: int = 0

    def parse(self, tree: Any) -> None:
        """Parse a tree, and discard the previous one.

        Parameters
        ----------
        tree
            The tree. Its leaves must be hashable.

        Raises
        ------
        ValueError
            If there is a tuple whose length is not two.
        """
        self.next_id = 0
        self.paths, self.codes = {}, {}
        # Without recursion: the depth may be near the number of leaves.
        pending: list[Any] = [(tree, (), ())]
        while pending:
            node, path, code = pending.pop()
            if not isinstance(node, tuple):
                self.paths[node] = numpy.array(path, numpy.int32)
                self.codes[node] = numpy.array(code, self.dtype)
                continue
            if len(node) != 2:
                raise ValueError(
                    'all inner nodes of the tree must have two children, but one has '
                    '%d: %r' % (len(node), node))
            path += (self.next_id,)
            self.next_id += 1
            left, right = node
            pending += [(right, path, (*code, -1)), (left, path, (*code, 1))]

    def size(self) -> int:
        """Return the number of inner nodes."""
        return self.next_id

    def get_paths(self) -> dict[int, NdArray]:
        """Return the nodes on the paths; see the attribute ``paths``."""
        return self.paths

    def get_codes(self) -> dict[int, NdArray]:
        """Return the turns on the paths; see the attribute ``codes``."""
        return self.codes


@record(compiled.TreeShortcut())
class _TreeAdapter(function.FunctionAdapter):
    """Node of the graph that runs a BinaryHierarchicalSoftmaxFunction."""


class BinaryHierarchicalSoftmaxFunction(
        device_resident.DeviceResident, function.Function):
    """Negative log-likelihood of the leaves of a tree, summed over samples.

    The inputs are samples of shape ``(N, K)``, their leaves of dtype int32 and shape
    ``(N,)``, and the vectors of the inner nodes, of shape ``(nodes, K)``. See
    :class:`BinaryHierarchicalSoftmax`.

    Parameters
    ----------
    tree
        Tree whose leaves are numbers; see :class:`TreeParser`.
    dtype : dtype specifier
        dtype of the codes.

    Attributes
    ----------
    paths : array of int32
        Inner nodes on the paths to all leaves, one path after the other.
    codes : array
        Turns at these nodes.
    begins : array of int32
        Start in ``paths`` of the path to each leaf, and end of the last path.
    parser_size : int
        Number of inner nodes.
    """

    def __init__(self, tree: Any, dtype: DTypeSpec) -> None:
        super().__init__()
        parser = TreeParser(dtype)
        parser.parse(tree)
        nothing = numpy.empty(0, numpy.int32)
        leaves = range(max(parser.get_paths()) + 1)
        paths = [parser.get_paths().get(leaf, nothing) for leaf in leaves]
        codes = [
            parser.get_codes().get(leaf, nothing.astype(dtype)) for leaf in leaves]
        self.paths: NdArray = numpy.concatenate(paths)
        self.codes: NdArray = numpy.concatenate(codes)
        self.begins: NdArray = numpy.cumsum([0, *map(len, paths)], dtype=numpy.int32)
        self.parser_size: int = parser.size()
        self._longest = max(map(len, paths))

    def __setstate__(self, state: Any) -> None:
        self.__dict__.update(state)
        if '_longest' not in state:
            # Chainer's pickles do not have it; the copies for each call do.
            self._longest = int((self.begins[1:] - self.begins[:-1]).max())

    def device_resident_accept(self, visitor: DeviceResidentsVisitor) -> None:
        super().device_resident_accept(visitor)
        for name in ('paths', 'codes', 'begins'):
            setattr(self, name, visitor.visit_array(getattr(self, name)))

    def _make_node(self):
        # A derived class may compute something else; the general code unwraps the
        # arrays.
        if type(self) is BinaryHierarchicalSoftmaxFunction and not isinstance(
                self.begins, kinds.wrappers):
            return _TreeAdapter(self)
        return super()._make_node()

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        type_check._argname(in_types, ('x', 't', 'W'))
        x_type, t_type, w_type = in_types
        for each, ndim in ((x_type, 2), (t_type, 1), (w_type, 2)):
            type_check.expect(each.ndim == ndim)
        type_check.expect(
            t_type.dtype == numpy.int32, t_type.shape[0] == x_type.shape[0])
        type_check.expect(x_type.dtype.kind == 'f', w_type.dtype == x_type.dtype)
        type_check.expect(
            w_type.shape[0] == self.parser_size, w_type.shape[1] == x_type.shape[1])

    def _ways(self, t):
        """Return the nodes and the turns of each step to the leaves."""
        longest = self._longest
        if isinstance(t, numpy.ndarray):
            # Fewer steps may suffice, but the host would have to wait for a GPU to
            # know.
            try:
                lengths = self.begins[t + 1] - self.begins[t]
            except IndexError as error:
                raise _labels.explain(
                    error, len(self.begins) - 1, 'leaves', t=t) from None
            longest = lengths.max(initial=0)
        return negative_sampling.ways(
            t, self.begins, self.paths, self.codes, longest)

    def forward_cpu(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        x, t, W = inputs
        self._nodes, self._turns = self._ways(t)
        self._scores = negative_sampling.scores(x, W, self._nodes, None)
        return negative_sampling.tree_loss(self._scores, self._turns),

    def backward_cpu(
            self, inputs: tuple[NdArray, ...],
            grad_outputs: GradArrays) -> tuple[NdArray | None, ...]:
        x, _, W = inputs
        gloss, = grad_outputs
        g = negative_sampling.tree_factors(self._scores, self._turns, gloss)
        gx = negative_sampling.sum_rows(g, W, self._nodes, None)
        gW = negative_sampling.spread_rows(g, x, self._nodes, None, len(W))
        # Their types may differ if types were not checked.
        return gx.astype(x.dtype, copy=False), None, gW.astype(W.dtype, copy=False)

    forward_gpu = forward_cpu
    backward_gpu = backward_cpu


class BinaryHierarchicalSoftmax(link.Link):
    """Loss of many classes that are the leaves of a binary tree.

    At each inner node :math:`n` of the tree, an input :math:`x` goes to the left with
    the probability :math:`\\sigma(w_n \\cdot x)` and to the right otherwise. The loss
    is the negative logarithm of the probability of reaching the given leaf :math:`t`,
    summed over the inputs:

    .. math::

        L = - \\sum_{(x, t)} \\sum_{n \\in \\text{path}(t)}
            \\log \\sigma(\\text{code}(n, t) \\, w_n \\cdot x)

    where the code is 1 if :math:`t` is on the left, and -1 if it is on the right. Its
    cost grows with the depth of the tree, not with the number of classes.

    Parameters
    ----------
    in_size : int
        Length of the inputs.
    tree
        The tree: a leaf, which is the number of a class, or a tuple of two trees, such
        as ``((0, 1), 2)``. See :meth:`create_huffman_tree`.
    dtype : dtype specifier or None
        dtype of the codes; ``chainer_fast.config.dtype`` if None. ``W`` always has
        the dtype of the configuration.

    Attributes
    ----------
    W : chainer_fast.Parameter
        Vectors of the inner nodes, of shape ``(nodes, in_size)``.

    Raises
    ------
    ValueError
        If an inner node of the tree does not have two children.

    See Also
    --------
    chainer_fast.links.NegativeSampling

    References
    ----------
    F. Morin and Y. Bengio. `Hierarchical probabilistic neural network language model
    <https://proceedings.mlr.press/r5/morin05a.html>`__. AISTATS 2005.

    Examples
    --------
    >>> counts = {0: 8, 1: 3, 2: 4}
    >>> tree = L.BinaryHierarchicalSoftmax.create_huffman_tree(counts)
    >>> loss = L.BinaryHierarchicalSoftmax(5, tree)
    >>> loss.W.shape
    (2, 5)
    >>> loss(np.ones((2, 5), np.float32), np.array([0, 2], np.int32)).shape
    ()
    """

    @staticmethod
    def create_huffman_tree(word_counts: dict[Any, Any]) -> Any:
        """Create a tree in which frequent leaves are near the root.

        The two trees with the smallest counts are joined until one tree remains.

        Parameters
        ----------
        word_counts : dict
            Count of each leaf.

        Returns
        -------
        tuple or object
            The tree, or the leaf if there is only one.

        Raises
        ------
        ValueError
            If there are no leaves.

        Examples
        --------
        >>> L.BinaryHierarchicalSoftmax.create_huffman_tree({0: 8, 1: 3, 2: 4})
        ((1, 2), 0)
        """
        if not word_counts:
            raise ValueError('word_counts must hold the count of at least one leaf')
        # Among equal counts, the tree with the leaf that was given first comes first.
        heap = [(_numbers.plain(count), place, leaf)
                for place, (leaf, count) in enumerate(word_counts.items())]
        heapq.heapify(heap)
        while len(heap) > 1:
            (count, place, left), (more, other, right) = heapq.heappop(heap), heap[0]
            heapq.heapreplace(heap, (count + more, min(place, other), (left, right)))
        return heap[0][2]

    def __init__(
            self, in_size: int, tree: Any, dtype: DTypeSpec | None = None) -> None:
        loss = BinaryHierarchicalSoftmaxFunction(tree, get_dtype(dtype))
        super().__init__()
        with self.init_scope():
            self.W = variable.Parameter(
                uniform.Uniform(1), (loss.parser_size, in_size))
        self._func = loss

    def device_resident_accept(self, visitor: DeviceResidentsVisitor) -> None:
        super().device_resident_accept(visitor)
        self._func.device_resident_accept(visitor)

    def forward(self, x: VariableOrArray, t: VariableOrArray) -> Variable:
        """Compute the loss.

        Parameters
        ----------
        x : Variable or array
            Inputs, of shape ``(batch, in_size)``.
        t : Variable or array of int32
            Their classes, of shape ``(batch,)``.

        Returns
        -------
        Variable
            Sum of the losses, a scalar.

        Raises
        ------
        chainer_fast.utils.type_check.InvalidType
            If dtypes or shapes do not match. Classes of int64 are not accepted, either.
        IndexError
            If a class is out of range.
        """
        # Calls must not share the state that a function stores in its forward pass.
        return copy.copy(self._func)(x, t, self.W)
