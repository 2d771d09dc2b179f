"""Converters of sums of products over named axes."""
import math

from chainer_fast.onnx.functions._operators import emits


@emits
def convert_EinSum(ops, func, *names):
    terms, out = func.in_subs.split(','), func.out_sub
    shapes = [ops.shape(i) for i in range(len(names))]
    plain = '@' not in func.in_subs and all(
        len(set(term)) == len(term) for term in terms)
    if ops.has('Einsum') or not plain or len(names) > 2:
        equation = (func.in_subs + '->' + out).replace('@', '...')
        ops.op('Einsum', names, equation=equation)
    else:
        y = _contract(ops, terms, out, shapes, names)
        if y in names:
            ops.op('Identity', [y])     # a node must compute each output


@emits
def convert_TensorDot(ops, func, a, b):
    letters = iter('abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ')
    a_kept, a_summed = func.a_axes
    b_summed, b_kept = func.b_axes
    summed = [next(letters) for _ in a_summed]
    kept = [next(letters) for _ in (*a_kept, *b_kept)]
    terms = [_term(pairs) for pairs in (
        zip((*a_kept, *a_summed), kept[:len(a_kept)] + summed, strict=True),
        zip((*b_summed, *b_kept), summed + kept[len(a_kept):], strict=True),
        zip((*func.c_axes[0], *func.c_axes[1]), kept, strict=True))]
    _contract(
        ops, terms[:2], terms[2], [ops.shape(0), ops.shape(1)], [a, b])


def _term(pairs):
    return ''.join([letter for _, letter in sorted(pairs)])


def _contract(ops, terms, out, shapes, names):
    """Add an Einstein summation of one or two operands, as a matrix product.

    Parameters
    ----------
    ops : Operators
        Receives the nodes.
    terms : list of str
        A letter for each axis of each operand, unique within an operand.
    out : str
        Letters of the axes of the result.
    shapes : list of tuple of int
        Shapes of the operands.
    names : list of str
        Their names.

    Returns
    -------
    str
        Name of the result.
    """
    lengths = {}
    for term, shape in zip(terms, shapes, strict=True):
        lengths.update(zip(term, shape, strict=True))
    if len(terms) == 1:
        term, x = _without_lone(ops, terms[0], out, names[0])
        return _ordered(ops, x, term, out)

    a, b = terms
    a, x = _without_lone(ops, a, b + out, names[0])
    b, y = _without_lone(ops, b, a + out, names[1])
    batch = ''.join([s for s in out if s in a and s in b])
    summed = ''.join([s for s in a if s in b and s not in out])
    rows = ''.join([s for s in out if s in a and s not in b])
    columns = ''.join([s for s in out if s in b and s not in a])
    x = _merged(ops, _ordered(ops, x, a, batch + rows + summed), lengths, batch,
                (rows, summed))
    y = _merged(ops, _ordered(ops, y, b, batch + summed + columns), lengths, batch,
                (summed, columns))
    z = ops.op('MatMul', [x, y])
    made = batch + rows + columns
    z = ops.reshape(z, _lengths(lengths, made))
    return _ordered(ops, z, made, out)


def _without_lone(ops, term, others, x):
    """Sum over the axes that occur nowhere else."""
    lone = [i for i, s in enumerate(term) if s not in others]
    if not lone:
        return term, x
    x = ops.along('ReduceSum', x, lone, keepdims=0)
    return ''.join([s for s in term if s in others]), x


def _ordered(ops, x, term, wanted):
    return ops.transpose(x, [term.index(s) for s in wanted])


def _lengths(lengths, letters):
    """Return a shape with an open first length, which may be that of a batch."""
    shape = [lengths[s] for s in letters]
    return [-1, *shape[1:]] if shape and 0 not in shape else shape


def _merged(ops, x, lengths, batch, groups):
    """Merge each group of axes into one, after the axes of the batch."""
    shape = [lengths[s] for s in batch]
    shape += [math.prod([lengths[s] for s in group]) for group in groups]
    # The first length is open: it may be that of a batch.
    return ops.reshape(x, shape if 0 in shape else [-1, *shape[1:]])
