"""Calls of functions and links, whose arrays may be empty or of several dtypes.

A line of `table.txt` has arrays with the names of their axes, then one or more calls. A
letter of an axis is a length of `LENGTHS`; ``+`` is for arrays of positive numbers. The
arguments of a call without any are the arrays. This module runs beside the released
Chainer as well, and so needs nothing but NumPy.
"""
import pathlib
import re
import warnings

import numpy as np

LENGTHS = dict(
    N=2, C=3, H=4, W=5, D=4, O=2, M=4, G=4, K=2, L=1, J=12, I=18, R=2, P=20, Q=16)

#: What is asked of a call, in this order: results, gradients of the arrays, those that
#: can be differentiated, gradients of their sum and of each, gradients of each result,
#: and gradients of each array where the others have none.
STAGES = 'forward', 'backward', 'grad', 'second', 'each', 'alone', 'part'


def table():
    """Yield the arrays and the expression of each call."""
    text = pathlib.Path(__file__).with_name('table.txt').read_text(encoding='utf-8')
    for line in text.strip().split('\n'):
        arrays, _, calls = line.partition('|')
        arrays = arrays.strip()
        names = ', '.join([each.split()[0].strip('+') for each in arrays.split(';')])
        if not re.fullmatch('[a-z0-9_ ]+', calls):
            yield arrays, calls.strip()
            continue
        for name in calls.split():
            yield arrays, 'F.%s(%s)' % (name, names)


def variants(arrays):
    """Yield the name of each variant, lengths of axes, and dtypes of the arrays."""
    count = len(arrays.split(';'))
    for dtype in 'fde':
        yield dtype, LENGTHS, dtype * count
    if count > 1:
        for most, one in ('fe', 'fd', 'ef', 'df'):
            for i in range(count):
                dtypes = most * i + one + most * (count - i - 1)
                yield dtypes, LENGTHS, dtypes
    axes = ''.join([''.join(each.split()[1:]) for each in arrays.split(';')])
    letters = sorted({axis for axis in axes if axis.isalpha()})
    for empty in (*letters, ''.join(letters)) if len(letters) > 1 else letters:
        lengths = dict(LENGTHS, **dict.fromkeys(empty, 0))
        if 'J' not in empty:
            lengths['J'] = 4 * lengths['C']
        yield '%s=0' % empty, lengths, 'f' * count


def _variables(chainer, arrays, lengths, dtypes, gets_grad=lambda i: True):
    made = {}
    for i, (each, dtype) in enumerate(zip(arrays.split(';'), dtypes, strict=True)):
        name, *axes = each.split()
        shape = [lengths[a] if a.isalpha() else int(a) for a in ''.join(axes)]
        values = np.sin(1. + 1.7 * np.arange(np.prod(shape, dtype=int)) + .3 * i) * .8
        if name[0] == '+':
            values = values ** 2 + .1
        made[name.strip('+')] = chainer.Variable(
            values.astype(dtype).reshape(shape), requires_grad=gets_grad(i))
    return made


def _flat(results):
    if isinstance(results, (list, tuple)):
        return [each for result in results for each in _flat(result)]
    return [results]


def _gradient(y, of=1.):
    return (np.cos(np.arange(y.size) + of)).astype(y.dtype).reshape(y.shape)


def _told(array):
    if array is None:
        return '-'
    array = np.asarray(getattr(array, 'array', array))
    return array.dtype.char + 'x'.join(map(str, array.shape))


def _told_of(gradients, variables):
    """Tell of gradients: ``=`` for one that has the dtype and shape of its variable."""
    return ''.join([
        '=' if _told(g) == _told(v) else '(%s)' % _told(g) if g is not None else '-'
        for g, v in zip(gradients, variables, strict=True)])


class _Call:

    def __init__(self, chainer, arrays, call, lengths, dtypes):
        self.chainer, self.call, self.lengths = chainer, call, lengths
        self.given = arrays, lengths, dtypes
        self._make()

    def _make(self, gets_grad=lambda i: True):
        np.random.seed(0)
        chainer = self.chainer
        made = _variables(chainer, *self.given, gets_grad)
        results = _flat(eval(self.call, {
            'F': chainer.functions, 'L': chainer.links, 'np': np,
            'to_coo': chainer.utils.to_coo, **self.lengths, **made}))
        self.xs = list(made.values())
        self.ys = [y for y in results if isinstance(y, chainer.Variable)
                   and y.dtype.kind == 'f' and y.creator is not None]
        return results

    def forward(self):
        return ' '.join(map(_told, self._make()))

    def backward(self):
        for y in self.ys:
            y.grad = _gradient(y)
        if self.ys:
            self.chainer.backward(self.ys)
        return _told_of([x.grad for x in self.xs], self.xs)

    def _grads(self, xs):
        self.gys = [self.chainer.Variable(_gradient(y)) for y in self.ys]
        return self.chainer.grad(self.ys, xs, self.gys, enable_double_backprop=True)

    def grad(self):
        self._make()
        return _told_of(self._grads(self.xs), self.xs) if self.ys else ''

    def _differentiate(self, choose):
        if not self.ys:
            return ''
        gxs = choose([gx for gx in self._grads(self.xs)
                      if gx is not None and gx.requires_grad])
        if not gxs:
            return ''
        variables = self.xs + self.gys
        return _told_of(self.chainer.grad(
            gxs, variables,
            [self.chainer.Variable(_gradient(gx, 2.)) for gx in gxs]), variables)

    def second(self):
        return self._differentiate(lambda gxs: gxs)

    def each(self):
        return ' '.join([
            self._differentiate(lambda gxs, i=i: gxs[i:i + 1])
            for i in range(len(self.xs))])

    def alone(self):
        told = []
        for i in range(len(self.ys)):
            self._make()
            y = self.ys[i]
            y.grad = _gradient(y)
            y.backward()
            told.append(_told_of([x.grad for x in self.xs], self.xs))
        return ' '.join(told)

    def part(self):
        told = []
        for i, _ in enumerate(self.xs):
            self._make(lambda j, i=i: i == j)
            told.append(self.backward())
        return ' '.join(told)


def outcome(chainer, arrays, call, lengths, dtypes):
    """Return what is told of each stage, ``None`` for those that fail.

    No stage follows a failure of the first two.
    """
    told = []
    with warnings.catch_warnings(), np.errstate(all='ignore'):
        warnings.simplefilter('ignore')
        try:
            made = _Call(chainer, arrays, call, lengths, dtypes)
            told.append(made.forward())
            told.append(made.backward())
        except Exception:
            return told + [None] * (len(STAGES) - len(told))
        for stage in STAGES[2:]:
            try:
                told.append(getattr(made, stage)())
            except Exception:
                told.append(None)
    return told
