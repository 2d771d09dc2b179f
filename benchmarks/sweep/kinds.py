"""Kinds of rows: tables of expressions, and the sizes, dtypes and layouts of each.

A table has a line for each function, with its name, our expression and PyTorch's::

    leaky_relu |                 | T.leaky_relu(x, .2)
    x ** 3     | x ** 3          | x ** 3
    relu6      |                 |
    Linear     | link(x)         | T.linear(x, W, b)     | L.Linear(k, m)

An empty expression of ours is ``F.NAME(x, ...)`` of all operands, and without one of
PyTorch the function stands alone. A fourth column is a link. A name that begins with
``~`` has results that are random, as weights may be: they are not compared.
"""
import dataclasses
import functools
import itertools
import re
from collections.abc import Callable

import numpy as np
from functions import cases

#: How the elements of an operand of a number of axes lie in memory, by layout; each
#: function returns an array like ``x`` from a maker of arrays.
LAYOUTS = {
    'transposed': (2, lambda x: np.ascontiguousarray(x.T).T),
    'left half': (2, lambda x: _part(x, np.s_[:, :x.shape[1]], (1, 2))),
    'every second column': (2, lambda x: _part(x, np.s_[:, ::2], (1, 2))),
    'every second row': (2, lambda x: _part(x, np.s_[::2], (2, 1))),
    'channels last': (4, lambda x: np.ascontiguousarray(
        x.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2)),
}

DTYPES = {'f': 'float32', 'd': 'float64', 'e': 'float16'}

_OPERAND = re.compile(r'(\w+)\[([^]]*)\](?:([<>])(\w+))?')


@functools.cache
def _compiled(expression):
    """Compile an expression once: steps of small arrays take as long as that does."""
    return compile(expression, '<row>', 'eval')


def _part(x, where, times):
    """Return a copy of ``x`` that is a part of an array ``times`` as large."""
    whole = np.zeros([n * by for n, by in zip(x.shape, times, strict=True)], x.dtype)
    whole[where] = x
    return whole[where]


@dataclasses.dataclass(frozen=True)
class Kind:
    """A table of functions of the same operands.

    Parameters
    ----------
    name : str
    operands : str
        Names with their shapes, such as ``'x[n,k] W[m,k] t[n]<k'``: floats between -1
        and 1, those above a tenth with ``>0``, and integers below a number with ``<k``.
        Operands with names in upper case are weights, and keep their layout.
    sizes : dict
        Lengths by the name of a size, ``'small'``, ``'medium'``, ``'large'`` or others.
    table : str
        Lines of functions, as the module describes them.
    choices : list of dict, optional
        Further names for the expressions, with a row for each choice; ``title`` is
        appended to the name of the row.
    dtypes : str
        Letters of the dtypes.
    layouts : tuple of str
        Of ``LAYOUTS``, beside C order.
    for_torch : callable, optional
        Returns the operands as PyTorch has them, from those by name. Then the gradients
        are not compared.
    """

    name: str
    operands: str
    sizes: dict
    table: str
    choices: tuple = ({},)
    dtypes: str = 'fde'
    layouts: tuple = ()
    for_torch: Callable | None = None

    def rows(self):
        """Yield the rows: all sizes of float32 in C order, and the medium size of
        other dtypes and layouts.
        """
        for line, choice in itertools.product(lines_of(self.table), self.choices):
            for size in self.sizes:
                yield Row(self, line, choice, size)
            if 'medium' in self.sizes:
                for dtype in self.dtypes[1:]:
                    yield Row(self, line, choice, 'medium', dtype)
                for layout in self.layouts:
                    yield Row(self, line, choice, 'medium', layout=layout)


def lines_of(table):
    """Yield four columns of each line of a table."""
    for line in filter(str.strip, table.splitlines()):
        columns = [column.strip() for column in re.split(r'(?<!\S)\|(?!\S)', line)]
        yield (columns + [''] * 3)[:4]


@dataclasses.dataclass(frozen=True)
class Row:
    """A function of a kind at one size, dtype and layout."""

    kind: Kind
    line: tuple
    choice: dict
    size: str
    dtype: str = 'f'
    layout: str = ''

    @property
    def name(self):
        return self.line[0].lstrip('~')

    @property
    def title(self):
        return ' '.join(filter(None, [
            self.kind.name, self.name, self.choice.get('title'), self.size,
            DTYPES[self.dtype] if self.dtype != 'f' else '', self.layout]))

    @property
    def about(self):
        """The kind as the summary has it: with the dtype, or with the layout."""
        return ' '.join(filter(None, [
            self.kind.name, DTYPES[self.dtype] if self.dtype != 'f' else '',
            self.layout]))

    @property
    def expressions(self):
        """Ours, PyTorch's and that of the link."""
        _, ours, torch, link = self.line
        names = [name for name, *_ in _OPERAND.findall(self.kind.operands)]
        return ours or 'F.%s(%s)' % (self.name, ', '.join(names)), torch, link

    def operands(self):
        """Return the floats to differentiate by, and the integers, by name."""
        lengths = self.kind.sizes[self.size]
        floats, integers = {}, {}
        for seed, found in enumerate(_OPERAND.findall(self.kind.operands)):
            name, shape, sign, bound = found
            shape = eval('(%s,)' % shape if shape else '()', dict(lengths))
            random = np.random.RandomState(seed)
            if sign == '<':
                high = eval(bound, dict(lengths))
                integers[name] = random.randint(0, high, shape).astype('i')
                continue
            x = random.uniform(.1 if sign else -1, 1, shape).astype(self.dtype)
            axes, lay = LAYOUTS.get(self.layout, (None, None))
            floats[name] = lay(x) if x.ndim == axes and name.islower() else x
        return floats, integers

    def case(self):
        """Return the row as a case, of which ``functions.steps`` makes steps."""
        ours, torch, link = self.expressions
        floats, integers = self.operands()
        names = {'np': np, **self.kind.sizes[self.size], **self.choice}

        def evaluate(expression, **more):
            return eval(_compiled(expression), {**names, **more})

        def by_chainer(F, *variables):
            return evaluate(ours, F=F, **made, **integers,
                            **dict(zip(floats, variables, strict=True)))

        def by_torch(torch_module, *tensors):
            if not made:
                made.update({name: torch_module.from_numpy(x.astype('l'))
                             for name, x in integers.items()})
            return evaluate(torch, torch=torch_module,
                            T=torch_module.nn.functional, **made,
                            **dict(zip(floats, tensors, strict=True)))

        def variables(chainer):
            """Return variables, with the parameters of the link for its weights."""
            found = {name: chainer.Variable(x) for name, x in floats.items()}
            made.update(chainer=chainer)
            if link:
                with chainer.using_config('dtype', next(iter(floats.values())).dtype):
                    made['link'] = evaluate(link, L=chainer.links)
                for path, param in made['link'].namedparams():
                    name = path[1:].replace('/', '_')
                    if name in floats:
                        param.array = floats[name]
                        found[name] = param
            return list(found.values())
        made = {}
        theirs = self.kind.for_torch
        return cases.Case(
            list(floats.values()), by_chainer, by_torch if torch else None,
            torch_arrays=theirs and list(theirs(floats).values()),
            random=self.line[0].startswith('~'), variables=variables)


@dataclasses.dataclass(frozen=True)
class Made:
    """A case of ``functions.cases`` at further sizes.

    Parameters
    ----------
    name : str
    maker : str
    sizes : dict
        Arguments of the maker by the name of a size.
    """

    name: str
    maker: str
    sizes: dict

    def rows(self):
        for size in self.sizes:
            yield MadeRow(self, size)


@dataclasses.dataclass(frozen=True)
class MadeRow:
    """One size of a made case."""

    kind: Made
    size: str
    dtype = 'f'
    layout = ''

    @property
    def name(self):
        return self.kind.maker

    @property
    def title(self):
        return ' '.join((self.kind.name, self.kind.maker, self.size))

    @property
    def about(self):
        return self.kind.name

    @property
    def expressions(self):
        return 'F.%s' % self.kind.maker, '', ''

    def case(self):
        return cases.MAKERS[self.kind.maker](**self.kind.sizes[self.size])
