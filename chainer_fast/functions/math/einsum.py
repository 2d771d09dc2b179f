"""Sums of products in Einstein's notation."""
from __future__ import annotations

import functools
from collections import abc
from collections.abc import Sequence
from typing import Any

from chainer_fast import backend
from chainer_fast.backends.kernels.common import halves
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions import _checks
from chainer_fast.functions.array import cast
from chainer_fast.functions.math import _contraction, matmul
from chainer_fast.types import NdArray
from chainer_fast.utils import type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable

einsum_symbols = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
einsum_symbols_set: set[str] = set(einsum_symbols)

# Represents the ellipsis within subscripts.
_REST = '@'


def _enumerate_axes(subscripts):
    """Yield pairs of an axis, or a slice of axes, and its symbol.

    Axes after the ellipsis are counted from the end.
    """
    front, rest, back = subscripts.partition(_REST)
    axes: list[tuple[Any, str]] = list(enumerate(front))
    if rest:
        axes.append((slice(len(front), -len(back) or None), rest))
    axes.extend(enumerate(back, -len(back)))
    return axes


@functools.lru_cache(maxsize=1024)
def _read_equation(equation, count):
    """Return the subscripts of inputs and output, which may be implied."""
    text = equation.replace(' ', '').replace('...', _REST)
    if _REST in equation:
        raise ValueError("Character @ is not a valid symbol in subscripts %r: write "
                         "'...' for an ellipsis." % (equation,))
    if '.' in text:
        raise ValueError("Invalid ellipsis in subscripts %r: it is '...'." % (
            equation,))
    in_subs, arrow, out_sub = text.partition('->')
    if any(s in '->' for s in in_subs + out_sub):
        raise ValueError("Subscripts can only contain one '->': %r." % (equation,))
    for s in (in_subs + out_sub).replace(',', ''):
        if s != _REST and s not in einsum_symbols_set:
            raise ValueError('Character %s is not a valid symbol in subscripts %r.'
                             % (s, equation))
    if ',' in out_sub:
        raise ValueError('Character , is not a valid symbol of an output: %r.'
                         % (equation,))
    return in_subs, _output_of(in_subs, count, out_sub if arrow else None)


def _output_of(in_subs, count, out_sub):
    """Check subscripts, and return those of the output.

    If the output has none, they are by convention the ellipsis followed by all symbols
    that occur once, in order.
    """
    terms = in_subs.split(',')
    if len(terms) != count:
        raise ValueError(
            'Number of einsum subscripts must be equal to the number of operands: '
            'there are %d for %d operands.' % (len(terms), count))
    for term in terms:
        if term.count(_REST) > 1:
            raise ValueError('An operand has more than one ellipsis: %s.'
                             % term.replace(_REST, '...'))
    if out_sub is None:
        symbols = in_subs.replace(',', '')
        once = [s for s in symbols if s != _REST and symbols.count(s) == 1]
        return (_REST if _REST in symbols else '') + ''.join(sorted(once))
    for s in out_sub:
        name = '...' if s == _REST else s
        if s not in in_subs:
            raise ValueError(
                'Output character %s did not appear in the input.' % (name,))
        if out_sub.count(s) > 1:
            raise ValueError('Output has the subscript %s more than once.' % (name,))
    return out_sub


def _read_sublist(sublist):
    """Return the subscripts for a list of integers and ellipses."""
    symbols = []
    if not isinstance(sublist, abc.Iterable):
        sublist = None,
    for entry in sublist:
        if entry is Ellipsis:
            symbols.append(_REST)
        elif isinstance(entry, int):
            symbols.append(einsum_symbols[entry])
        else:
            raise TypeError(
                'Subscripts must be a str, or lists of int and Ellipsis after the '
                'operands, not %r.' % (entry,))
    return ''.join(symbols)


def _parse_einsum_input(operands):
    """Return the subscripts of inputs and output, and the operands.

    Parameters
    ----------
    operands : tuple
        A string and the operands, or the operands, each followed by a list.
    """
    if not operands:
        raise ValueError('No input operands: einsum needs subscripts and arrays.')
    if isinstance(operands[0], str):
        arrays = operands[1:]
        return (*_read_equation(operands[0], len(arrays)), arrays)
    count = len(operands) // 2
    arrays = operands[:2 * count:2]
    in_subs = ','.join([_read_sublist(s) for s in operands[1:2 * count:2]])
    out_sub = None
    if len(operands) % 2 and operands[-1] is not None:
        out_sub = _read_sublist(operands[-1])
    return in_subs, _output_of(in_subs, count, out_sub), list(arrays)


def _spell_out(in_subs, out_sub, ndims, out_ndim=None):
    """Replace the ellipsis by letters, so that each axis has a letter.

    Parameters
    ----------
    in_subs, out_sub : str
        Subscripts.
    ndims : tuple of int
        Numbers of axes of the inputs.
    out_ndim : int or None
        Number of axes of the output, if it may have axes that no input has.

    Returns
    -------
    terms : tuple of str
        Letters of the inputs.
    out : str
        Letters of the output.
    """
    terms = in_subs.split(',')
    counts = [ndim - len(term) + 1
              for term, ndim in zip(terms, ndims, strict=True) if _REST in term]
    if _REST in out_sub and out_ndim is not None:
        counts.append(out_ndim - len(out_sub) + 1)
    if not counts:
        return tuple(terms), out_sub
    free = [s for s in einsum_symbols if s not in in_subs + out_sub]
    if counts[0] > len(free):
        raise ValueError('einsum has names for %d axes only.' % len(einsum_symbols))
    rest = ''.join(free[:counts[0]])
    return (tuple([term.replace(_REST, rest) for term in terms]),
            out_sub.replace(_REST, rest))


@functools.lru_cache(maxsize=4096)
def _fit(in_subs, shapes):
    """Return whether arrays of given shapes match subscripts."""
    terms = in_subs.split(',')
    lengths = {}
    if len(terms) != len(shapes):
        return False
    for term, shape in zip(terms, shapes, strict=True):
        spare = len(shape) - len(term.replace(_REST, ''))
        if spare < 0 or (spare and _REST not in term):
            return False
        for axis, symbol in _enumerate_axes(term):
            if lengths.setdefault(symbol, shape[axis]) != shape[axis]:
                return False
    return True


@functools.lru_cache(maxsize=4096)
def _plan(in_subs, out_sub, shapes):
    """Plan the multiplication of arrays of given shapes."""
    terms, out = _spell_out(in_subs, out_sub, tuple([len(s) for s in shapes]))
    if _REST in in_subs and _REST not in out_sub and any(
            _REST in sub and len(shape) >= len(sub)
            for sub, shape in zip(in_subs.split(','), shapes, strict=True)):
        raise ValueError(
            'einsum does not sum over an ellipsis, but the output %r of %r lacks it. '
            "Add '...' to the output, and sum afterwards." % (
                out_sub, in_subs.replace(_REST, '...')))
    return _contraction.plan(terms, out, shapes)


@functools.lru_cache(maxsize=1024)
def _gradient(in_subs, out_sub, i):
    """Return the subscripts of the gradient with respect to an input.

    Returns
    -------
    in_subs, out_sub : str
        Subscripts of the operands (the gradient of the sums and the other inputs) and
        of the gradient.
    flags : tuple or None
        Whether to exchange the operands and to transpose each, if the gradient is a
        matrix product.
    """
    terms = in_subs.split(',')
    term = terms.pop(i)
    flags = None
    if len(terms) == 1:
        flags = _as_matrix_product(out_sub, terms[0], term)
    return ','.join([out_sub, *terms]), term, flags


def _as_matrix_product(a, b, out):
    letters = set(a + b + out)
    batch = out[:-2]
    if (_REST in letters or {len(a), len(b), len(out)} != {len(out)} or len(out) < 2
            or len(letters) != len(out) + 1 or a[:-2] != batch or b[:-2] != batch):
        return None
    row, column = out[-2:]
    swap = row not in a
    if swap:
        a, b = b, a
    if a[-2:].count(row) != 1 or b[-2:].count(column) != 1 or column in a or row in b:
        return None
    return swap, a[-1] == row, b[-2] == column


class EinSum(FunctionNode):
    """Sums of products of arrays.

    Parameters
    ----------
    in_subs : str
        Subscripts of the inputs, separated by commas; ``@`` is the ellipsis.
    out_sub : str
        Subscripts of the output.
    """

    def __init__(self, in_subs: str, out_sub: str) -> None:
        self.in_subs = in_subs
        self.out_sub = out_sub

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        terms = self.in_subs.split(',')
        type_check.expect(in_types.size() == len(terms))
        _checks.floats(in_types, *['x%d' % i for i in range(len(terms))])
        lengths = {}
        for in_type, term in zip(in_types, terms, strict=True):
            shape = in_type.shape
            ndim = type_check.eval(in_type.ndim)
            for axis, symbol in _enumerate_axes(term):
                if isinstance(axis, int) and not -ndim <= axis < ndim:
                    _check_ndim(ndim, term)
                length = shape[axis]
                if symbol in lengths:
                    type_check.expect(lengths[symbol] == length)
                else:
                    lengths[symbol] = length
        for in_type, term in zip(in_types, terms, strict=True):
            _check_ndim(type_check.eval(in_type.ndim), term)

    def _check_data_type_forward(self, arrays):
        # Few different shapes occur.
        for x in arrays:
            if x.dtype.kind != 'f':
                break
        else:
            if _fit(self.in_subs, tuple([x.shape for x in arrays])):
                return
        super()._check_data_type_forward(arrays)

    @halves.forward_in_single
    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        count = len(inputs)
        if count > 1:
            self.retain_inputs(tuple(range(count)))
        plan = _plan(self.in_subs, self.out_sub, tuple([x.shape for x in inputs]))
        return plan(backend.get_array_module(*inputs), inputs),

    def backward(
            self, indices: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        # A sum of products is linear in each factor: in the gradient, the gradient of
        # the sum replaces the factor.
        gy, = grad_outputs
        nodes = self.inputs
        inputs = self.get_retained_inputs() if len(nodes) > 1 else ()
        grads = []
        for i in indices:
            x = nodes[i]
            in_subs, term, flags = _gradient(self.in_subs, self.out_sub, i)
            if flags is not None and gy.dtype == x.dtype == inputs[1 - i].dtype != 'e':
                swap, transa, transb = flags
                operands = (inputs[1 - i], gy) if swap else (gy, inputs[1 - i])
                function = matmul.MatMul(transa, transb)
            else:
                operands = (gy, *inputs[:i], *inputs[i + 1:])
                function = DiagEinSum(in_subs, term, x.shape)
            g, = function.apply(operands)
            grads.append(cast.as_type(g, x.dtype))
        return tuple(grads)


def _check_ndim(ndim, term):
    least = len(term.replace(_REST, ''))
    if ndim < least:
        raise IndexError('An operand of %d axes has the subscripts %s.' % (
            ndim, term.replace(_REST, '...')))
    if ndim > least and _REST not in term:
        raise ValueError(
            'An operand of %d axes has the subscripts %r, which name %s; write \'...\' '
            'for the others.' % (ndim, term, least))


@functools.lru_cache(maxsize=4096)
def _diagonal_plan(in_subs, out_sub, shapes, out_ndim):
    """Plan the multiplication of arrays, without the axes that none of them has.

    Returns
    -------
    plan : callable
        Function that multiplies the arrays.
    places : list of int or None
        For each axis of the output, its index among the distinct axes; None if all axes
        are distinct.
    spread : tuple or None
        Index that adds the missing distinct axes to the result of the plan; None if
        that result is the output.
    """
    terms, out = _spell_out(
        in_subs, out_sub, tuple([len(s) for s in shapes]), out_ndim)
    distinct = ''.join(dict.fromkeys(out))
    known = ''.join([s for s in distinct if any([s in term for term in terms])])
    plan = _contraction.plan(terms, known, shapes)
    if known == out:
        return plan, None, None
    places = [distinct.index(s) for s in out] if distinct != out else None
    return plan, places, tuple([slice(None) if s in known else None for s in distinct])


class DiagEinSum(EinSum):
    """Sums of products on a diagonal of the output, or repeated along its axes.

    Parameters
    ----------
    in_subs, out_sub : str
        Subscripts. A symbol that occurs twice in the output means a diagonal outside of
        which the output is zero; along axes that no input has, the output is repeated.
        An ellipsis may be summed over.
    out_shape : tuple of int
        Shape of the output.
    """

    def __init__(self, in_subs: str, out_sub: str, out_shape: Sequence[int]) -> None:
        super().__init__(in_subs, out_sub)
        self.out_shape = out_shape

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        if len(inputs) > 1:
            self.retain_inputs(tuple(range(len(inputs))))
        shape = self.out_shape
        plan, places, spread = _diagonal_plan(
            self.in_subs, self.out_sub, tuple([x.shape for x in inputs]),
            None if shape is None else len(shape))
        xp = backend.get_array_module(*inputs)
        y = plan(xp, inputs)
        if spread is None:
            return y,
        if shape is None:
            raise ValueError('The output %r of %r has axes of unknown lengths.'
                             % (self.out_sub, self.in_subs))
        if places is None:
            whole = xp.empty(shape, y.dtype)
            whole[...] = y[spread]
            return whole,
        whole = xp.zeros(shape, y.dtype)
        lengths, strides = [0] * len(spread), [0] * len(spread)
        for place, length, stride in zip(places, shape, whole.strides, strict=True):
            lengths[place] = length
            strides[place] += stride
        diagonal = xp.lib.stride_tricks.as_strided(whole, lengths, strides)
        diagonal[...] = y[spread]
        return whole,


def einsum(*operands: Any) -> Variable:
    """Sums products of arrays over axes, in Einstein's notation.

    Every axis of the arrays has a symbol. Axes with the same symbol are multiplied
    elementwise, and axes whose symbol is not in the output are summed over.

    Parameters
    ----------
    *operands
        Either a string and the arrays, ``einsum('ij,jk->ik', a, b)``, or each array
        followed by a list of integers (and ``Ellipsis``) instead of letters,
        ``einsum(a, [0, 1], b, [1, 2], [0, 2])``. Arrays are floating-point; they may be
        variables. If the output is not given, it has the ellipsis and the symbols that
        occur once, in alphabetical order. A symbol that occurs twice in one array means
        its diagonal.

    Returns
    -------
    Variable
        The sums, in the common dtype of the arrays.

    Raises
    ------
    ValueError
        If the subscripts are invalid, if their number is not that of the arrays, or if
        an ellipsis would be summed over.
    TypeError
        If the subscripts are neither a string nor lists of integers.
    chainer_fast.utils.type_check.InvalidType
        If axes with the same symbol differ in length, since they are not broadcast, or
        an array is not floating-point.

    See Also
    --------
    chainer_fast.functions.matmul
    chainer_fast.functions.tensordot
    numpy.einsum

    Examples
    --------
    >>> x = np.array([[1., 2.], [3., 4.]], np.float32)
    >>> F.einsum('ij,kj->ik', x, x).array       # the product with the transpose
    array([[ 5., 11.],
           [11., 25.]], dtype=float32)
    >>> F.einsum('ij->j', x).array              # sums of columns
    array([4., 6.], dtype=float32)
    >>> F.einsum('ii', x).array                 # the trace
    array(5., dtype=float32)
    """
    in_subs, out_sub, arrays = _parse_einsum_input(operands)
    return EinSum(in_subs, out_sub).apply(arrays)[0]
