"""Sums of products in Einstein's notation."""
import functools

from chainer_fast import backend
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions import _checks
from chainer_fast.functions.array import cast
from chainer_fast.functions.math import _contraction
from chainer_fast.utils import type_check

einsum_symbols = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
einsum_symbols_set = set(einsum_symbols)

# Stands for the ellipsis within subscripts.
_REST = '@'


def _enumerate_axes(subscripts):
    """Pairs of the axis, or the slice of axes, and the symbol of it.

    Axes behind the ellipsis are counted from the end.
    """
    front, rest, back = subscripts.partition(_REST)
    axes = list(enumerate(front))
    if rest:
        axes.append((slice(len(front), -len(back) or None), rest))
    axes.extend(enumerate(back, -len(back)))
    return axes


@functools.lru_cache(maxsize=1024)
def _read_equation(equation, count):
    """Subscripts of the inputs and of the output, which is made up if not given."""
    text = equation.replace(' ', '').replace('...', _REST)
    if _REST in equation:
        raise ValueError("Character @ is not a valid symbol in subscripts %r: write "
                         "'...' for an ellipsis." % equation)
    if '.' in text:
        raise ValueError("Invalid ellipsis in subscripts %r: it is '...'." % equation)
    in_subs, arrow, out_sub = text.partition('->')
    if any(s in '->' for s in in_subs + out_sub):
        raise ValueError("Subscripts can only contain one '->': %r." % equation)
    for s in (in_subs + out_sub).replace(',', ''):
        if s != _REST and s not in einsum_symbols_set:
            raise ValueError('Character %s is not a valid symbol in subscripts %r.'
                             % (s, equation))
    if ',' in out_sub:
        raise ValueError('Character , is not a valid symbol of an output: %r.'
                         % equation)
    return in_subs, _output_of(in_subs, count, out_sub if arrow else None)


def _output_of(in_subs, count, out_sub):
    """Checks subscripts; without any for the output, those it has by convention.

    They are the ellipsis followed by all symbols that occur once, in order.
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
                'Output character %s did not appear in the input.' % name)
        if out_sub.count(s) > 1:
            raise ValueError('Output has the subscript %s more than once.' % name)
    return out_sub


def _read_sublist(sublist):
    """Subscripts of a list of integers and ellipses."""
    symbols = []
    if not isinstance(sublist, (list, tuple)):
        sublist = None,
    for entry in sublist:
        if entry is Ellipsis:
            symbols.append(_REST)
        elif isinstance(entry, int):
            symbols.append(einsum_symbols[entry])
        else:
            raise TypeError(
                'Subscripts must be a str, or lists of int and Ellipsis after the '
                'operands, but %r is there.' % (entry,))
    return ''.join(symbols)


def _parse_einsum_input(operands):
    """Subscripts of the inputs and of the output, and the operands.

    Parameters
    ----------
    operands : tuple
        A string and the operands, or the operands each followed by a list.
    """
    if not operands:
        raise ValueError('No input operands: einsum takes subscripts and arrays.')
    if isinstance(operands[0], str):
        equation, *arrays = operands
        return (*_read_equation(equation, len(arrays)), tuple(arrays))
    count = len(operands) // 2
    arrays = operands[:2 * count:2]
    in_subs = ','.join([_read_sublist(s) for s in operands[1:2 * count:2]])
    out_sub = None
    if len(operands) % 2:
        out_sub = _read_sublist(operands[-1])
    return in_subs, _output_of(in_subs, count, out_sub), list(arrays)


@functools.lru_cache(maxsize=4096)
def _spell_out(in_subs, out_sub, ndims, out_ndim=None):
    """Replaces the ellipsis by letters, so that each axis has one.

    Parameters
    ----------
    in_subs, out_sub : str
        Subscripts.
    ndims : tuple of int
        Numbers of axes of the inputs.
    out_ndim : int or None
        Number of axes of the output, if there may be some that no input has.

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


class EinSum(FunctionNode):
    """Sums of products of arrays.

    Parameters
    ----------
    in_subs : str
        Subscripts of the inputs, separated by commas; ``@`` is the ellipsis.
    out_sub : str
        Subscripts of the output.
    """

    def __init__(self, in_subs, out_sub):
        self.in_subs = in_subs
        self.out_sub = out_sub

    def check_type_forward(self, in_types):
        terms = self.in_subs.split(',')
        type_check.expect(in_types.size() == len(terms))
        _checks.floats(in_types, *['x%d' % i for i in range(len(terms))])
        lengths = {}
        for in_type, term in zip(in_types, terms, strict=True):
            _check_ndim(type_check.eval(in_type.ndim), term)
            shape = in_type.shape
            for axis, symbol in _enumerate_axes(term):
                length = shape[axis]
                if symbol in lengths:
                    type_check.expect(lengths[symbol] == length)
                else:
                    lengths[symbol] = length

    def forward(self, inputs):
        if len(inputs) > 1:
            self.retain_inputs(tuple(range(len(inputs))))
        terms, out = _spell_out(
            self.in_subs, self.out_sub, tuple([x.ndim for x in inputs]))
        if _REST in self.in_subs and _REST not in self.out_sub and any(
                len(term) > len(sub) - 1
                for term, sub in zip(terms, self.in_subs.split(','), strict=True)
                if _REST in sub):
            raise ValueError(
                'einsum does not sum over an ellipsis, but the output %r of %r lacks '
                "it. Write '...' there, and sum afterwards." % (
                    self.out_sub, self.in_subs.replace(_REST, '...')))
        xp = backend.get_array_module(*inputs)
        return _contraction.contract(xp, terms, out, inputs),

    def backward(self, indices, grad_outputs):
        # A sum of products is linear in each factor: in its gradient, that of the sum
        # takes the factor's place.
        terms = self.in_subs.split(',')
        inputs = self.get_retained_inputs() if len(terms) > 1 else self.inputs
        grads = []
        for i in indices:
            x = self.inputs[i]
            others = [j for j in range(len(terms)) if j != i]
            in_subs = ','.join([self.out_sub, *[terms[j] for j in others]])
            g, = DiagEinSum(in_subs, terms[i], x.shape).apply(
                (grad_outputs[0], *[inputs[j] for j in others]))
            grads.append(g if g.dtype == x.dtype else cast.cast(g, x.dtype))
        return tuple(grads)


def _check_ndim(ndim, term):
    least = len(term.replace(_REST, ''))
    if ndim < least:
        raise IndexError('An operand of %d axes has the subscripts %s.' % (
            ndim, term.replace(_REST, '...')))
    if ndim > least and _REST not in term:
        raise ValueError(
            'An operand of %d axes has the subscripts %r, which name %d; write \'...\' '
            'for the others.' % (ndim, term, least))


class DiagEinSum(EinSum):
    """Sums of products, put on a diagonal of the output or repeated along its axes.

    Parameters
    ----------
    in_subs, out_sub : str
        Subscripts. A symbol that the output has twice stands for a diagonal outside of
        which the output is zero; along axes that no input has, it repeats itself.
        An ellipsis may be summed over.
    out_shape : tuple of int
        Shape of the output.
    """

    def __init__(self, in_subs, out_sub, out_shape):
        super().__init__(in_subs, out_sub)
        self.out_shape = out_shape

    def forward(self, inputs):
        if len(inputs) > 1:
            self.retain_inputs(tuple(range(len(inputs))))
        shape = self.out_shape
        terms, out = _spell_out(
            self.in_subs, self.out_sub, tuple([x.ndim for x in inputs]),
            None if shape is None else len(shape))
        distinct = ''.join(dict.fromkeys(out))
        known = ''.join([s for s in distinct if any([s in term for term in terms])])
        xp = backend.get_array_module(*inputs)
        y = _contraction.contract(xp, terms, known, inputs)
        if known == out:
            return y,
        if shape is None:
            raise ValueError('The output %r of %r has axes of unknown lengths.'
                             % (self.out_sub, self.in_subs))
        whole = xp.zeros(shape, y.dtype)
        strides = [0] * len(distinct)
        for symbol, stride in zip(out, whole.strides, strict=True):
            strides[distinct.index(symbol)] += stride
        diagonal = xp.lib.stride_tricks.as_strided(
            whole, [shape[out.index(s)] for s in distinct], strides)
        diagonal[...] = y[tuple([
            slice(None) if s in known else None for s in distinct])]
        return whole,


def einsum(*operands):
    """Sums products of arrays over axes, in Einstein's notation.

    Every axis of the arrays has a symbol. Arrays are multiplied such that axes of the
    same symbol run together, and axes whose symbol the output lacks are summed over.

    Parameters
    ----------
    *operands
        Either a string and the arrays, ``einsum('ij,jk->ik', a, b)``, or each array
        followed by a list of integers (and ``Ellipsis``) in place of letters,
        ``einsum(a, [0, 1], b, [1, 2], [0, 2])``. Arrays are floating-point; they may be
        variables. Without an output, it has the ellipsis and the symbols that occur
        once, in alphabetical order. A symbol that one array has twice stands for its
        diagonal.

    Returns
    -------
    Variable
        The sums, in the dtype the arrays have in common.

    Raises
    ------
    ValueError
        If the subscripts make no sense, or an ellipsis would be summed over.
    InvalidType
        If axes of the same symbol differ in length. There is no broadcasting.

    See Also
    --------
    numpy.einsum

    Examples
    --------
    >>> x = np.arange(6, dtype=np.float32).reshape(2, 3)
    >>> F.einsum('ij,kj->ik', x, x).array
    array([[ 5., 14.],
           [14., 50.]], dtype=float32)
    >>> F.einsum('ij->j', x).array
    array([3., 5., 7.], dtype=float32)
    """
    in_subs, out_sub, arrays = _parse_einsum_input(operands)
    return EinSum(in_subs, out_sub).apply(arrays)[0]
