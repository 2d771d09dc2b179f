"""Sums of products along named axes, computed by matrix products.

Axes are named by letters: the terms ``'ij'`` and ``'jk'`` of two arrays and the term
``'ik'`` of their product mean that ``j`` is summed over. Two arrays are multiplied by a
single matrix product. Before that, the axes of each array are sorted into axes that
both share with the result, axes of this array only, and axes that are summed over. More
than two arrays are multiplied in pairs, the cheapest product first. The steps for each
set of terms are planned once and cached.
"""
import functools
import math

import numpy

from chainer_fast import utils
from chainer_fast.backends.kernels import matmul as kernels
from chainer_fast.backends.kernels.arithmetic import unary
from chainer_fast.backends.kernels.common import halves


def contract(xp, terms, out, xs):
    """Sum the products of arrays over the axes that the result does not have.

    Parameters
    ----------
    xp : module
        NumPy or CuPy.
    terms : tuple of str
        Letters of the axes of each array. A letter that occurs twice in a term means
        the diagonal.
    out : str
        Letters of the result. Each letter must occur once, and in at least one term.
    xs : sequence of arrays
        Floating-point arrays.

    Returns
    -------
    array
        The sums, in the common dtype of the arrays. For one array, the result is a view
        if nothing is summed.
    """
    shapes = None
    if len(xs) > 2:
        shapes = tuple([x.shape for x in xs])
    return plan(terms, out, shapes)(xp, xs)


@functools.lru_cache(maxsize=1024)
def plan(terms, out, shapes):
    """Return a function that runs the steps of :func:`contract` for given terms.

    Parameters
    ----------
    terms : tuple of str
    out : str
    shapes : tuple of tuple of int
        Shapes of the arrays; not needed for one or two arrays.

    Returns
    -------
    callable
        Function of the array module and the arrays.
    """
    if len(terms) == 1:
        return functools.partial(_reduce, *_single_plan(terms[0], out))
    if len(terms) == 2:
        return functools.partial(_multiply_two, _pair_plan(*terms, out))
    return functools.partial(_multiply_many, _order(terms, out, shapes))


def _single_plan(term, out):
    """Return the equation for one array, and whether it sums."""
    return term + '->' + out, not set(term) <= set(out)


def _reduce(equation, sums, xp, xs):
    x, = xs
    dtype = x.dtype
    if sums and dtype.char == 'e':
        x = halves.cast(x, numpy.float32)
    return _in_dtype(xp.einsum(equation, x), dtype)


def _multiply_two(pair, xp, xs):
    dtype = _common_dtype(xs)
    x, y = xs
    if dtype.char == 'e':
        x, y = halves.cast(x, numpy.float32), halves.cast(y, numpy.float32)
    return _in_dtype(pair(xp, x, y), dtype)


def _multiply_many(steps, xp, xs):
    dtype = _common_dtype(xs)
    xs = list(xs)
    if dtype.char == 'e':
        xs = [halves.cast(x, numpy.float32) for x in xs]
    for i, j, pair in steps:
        # The later axis first, so that the position of the earlier one does not change.
        right = xs.pop(j)
        xs.append(pair(xp, xs.pop(i), right))
    return _in_dtype(xs[0], dtype)


def _in_dtype(y, dtype):
    if type(y) is numpy.ndarray and y.dtype == dtype:
        return y
    return utils.force_array(halves.cast(y, dtype) if dtype.char == 'e' else y, dtype)


def _common_dtype(xs):
    dtype = xs[0].dtype
    for x in xs:
        if x.dtype != dtype:
            return numpy.result_type(*[x.dtype for x in xs])
    return dtype


def _without(letters, others):
    return ''.join([s for s in letters if s not in others])


class _Operand:
    """Steps that transform an array to the form that a product requires.

    Parameters
    ----------
    term : str
        Letters of the axes of the array.
    needed : str
        Letters that the other array or the result has.
    groups : list of str
        Letters of the remaining axes, in the required order.
    merge : tuple of int
        Groups that become one axis each. The axis of an empty group has length one.
    """

    def __init__(self, term, needed, groups, merge=()):
        distinct = ''.join(dict.fromkeys(term))
        self.diagonal = term + '->' + distinct if distinct != term else None
        lone = _without(distinct, needed)
        self.summed = tuple([distinct.index(s) for s in lone]) or None
        left = _without(distinct, lone)
        wanted = ''.join(groups)
        self.axes = None
        if wanted != left:
            self.axes = tuple([left.index(s) for s in wanted])
        self.pieces = None
        if any(len(groups[i]) != 1 for i in merge):
            pieces, start = [], 0
            for i, group in enumerate(groups):
                stop = start + len(group)
                if i in merge:
                    pieces.append((start, stop))
                else:
                    pieces.extend([(d, d + 1) for d in range(start, stop)])
                start = stop
            self.pieces = pieces
        self.plain = not (
            self.diagonal or self.summed or self.axes or self.pieces)

    def arrange(self, xp, x):
        """Take the diagonal, sum over unneeded axes, and permute the others."""
        if self.diagonal is not None:
            x = xp.einsum(self.diagonal, x)
        if self.summed is not None:
            x = x.sum(self.summed)
        if self.axes is not None:
            x = x.transpose(self.axes)
        return x

    def merge(self, x):
        if self.pieces is None:
            return x
        shape = x.shape
        return x.reshape([math.prod(shape[i:j]) for i, j in self.pieces])


class _Pair:
    """Product of two arrays.

    Parameters
    ----------
    a, b, out : str
        Letters of the axes of the arrays and of the result.
    """

    def __init__(self, a, b, out):
        both = [s for s in dict.fromkeys(a) if s in b]
        batch = ''.join([s for s in out if s in both])
        summed = ''.join([s for s in both if s not in out])
        a_own, b_own = (
            _without(''.join([s for s in out if s in term]), batch) for term in (a, b))
        self.swap = bool(b_own) and out == batch + b_own + a_own and bool(a_own)
        if self.swap:
            a, b, a_own, b_own = b, a, b_own, a_own
        made = batch + a_own + b_own
        self.axes = None
        if made != out:
            self.axes = tuple([made.index(s) for s in out])
        self.counts = len(batch), len(a_own), len(b_own)
        if not summed:
            self.product = self._multiply
            merges = (), ()
        elif not batch:
            self.product = self._dot
            merges = (1, 2) if a_own else (2,), (1, 2) if b_own else (1,)
        elif a_own or b_own:
            self.product = self._matmul
            merges = (1, 2), (1, 2)
        else:
            self.product = self._inner
            letters = batch + summed
            self.equation = letters + ',' + letters + '->' + batch
            merges = (), ()
        self.a = _Operand(a, b + out, [batch, a_own, summed], merges[0])
        self.b = _Operand(b, a + out, [batch, summed, b_own], merges[1])

    def __call__(self, xp, x, y):
        if self.swap:
            x, y = y, x
        if not self.a.plain:
            x = self.a.arrange(xp, x)
        if not self.b.plain:
            y = self.b.arrange(xp, y)
        z = self.product(xp, x, y)
        if self.axes is not None:
            z = xp.ascontiguousarray(z.transpose(self.axes))
        return z

    def _multiply(self, xp, x, y):
        _, n_x, n_y = self.counts
        if n_x and n_y:
            x = x.reshape(x.shape + (1,) * n_y)
            batch = y.ndim - n_y
            y = y.reshape(y.shape[:batch] + (1,) * n_x + y.shape[batch:])
        elif n_x:
            y = y.reshape(y.shape + (1,) * n_x)
        elif n_y:
            x = x.reshape(x.shape + (1,) * n_y)
        return unary.apply(xp.multiply, x, y)

    def _inner(self, xp, x, y):
        return xp.einsum(self.equation, x, y)

    def _own_shapes(self, x, y):
        batch, n_x, n_y = self.counts
        return x.shape[batch:batch + n_x] + y.shape[y.ndim - n_y:]

    def _dot(self, xp, x, y):
        z = kernels.dot(self.a.merge(x), self.b.merge(y))
        if self.counts[1] > 1 or self.counts[2] > 1:
            z = z.reshape(self._own_shapes(x, y))
        return z

    def _matmul(self, xp, x, y):
        z = kernels.matmul(
            _aligned(xp, self.a.merge(x)), _aligned(xp, self.b.merge(y)))
        if self.counts[1:] != (1, 1):
            z = z.reshape(x.shape[:self.counts[0]] + self._own_shapes(x, y))
        return z


def _aligned(xp, x):
    """Copy matrices that are not contiguous along either axis, which BLAS rejects."""
    if x.itemsize in x.strides[-2:]:
        return x
    return xp.ascontiguousarray(x)


_pair_plan = functools.lru_cache(maxsize=1024)(_Pair)


def _order(terms, out, shapes):
    """Return the pairs of arrays to multiply in turn, the cheapest pair at each step.

    The cost of a product is its number of multiplications.
    """
    lengths = {}
    for term, shape in zip(terms, shapes, strict=True):
        lengths.update(zip(term, shape, strict=True))
    terms = list(terms)
    steps = []
    while len(terms) > 1:
        cost, i, j = min([
            (math.prod([lengths[s] for s in {*terms[i], *terms[j]}]), i, j)
            for j in range(len(terms)) for i in range(j)])
        right = terms.pop(j)
        left = terms.pop(i)
        made = out
        if terms:
            kept = set(out).union(*terms)
            made = ''.join([s for s in dict.fromkeys(left + right) if s in kept])
        steps.append((i, j, _pair_plan(left, right, made)))
        terms.append(made)
    return steps
