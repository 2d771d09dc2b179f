"""Makes the calls of `cases` with either library, and tells what came of them."""

import importlib
import random
import warnings

import numpy as np

from tests.arguments import described, forms


class Library:
    """Chainer or chainer_fast, whose public names are looked up by short ones."""

    def __init__(self, name):
        self.chainer = importlib.import_module(name)
        for module in (
            'functions',
            'links',
            'datasets',
            'iterators',
            'initializers',
            'distributions',
            'utils',
            'training.triggers',
            'utils.conv',
            'utils.conv_nd',
            'dataset',
            'dataset.tabular',
        ):
            importlib.import_module(f'{name}.{module}')
        root = self.chainer
        self.short = {
            'F': root.functions,
            'L': root.links,
            'D': root.datasets,
            'It': root.iterators,
            'Init': root.initializers,
            'Dist': root.distributions,
            'u': root.utils,
            'conv': root.utils.conv,
            'conv_nd': root.utils.conv_nd,
            'T': root.training.triggers,
            'Variable': root.Variable,
        }

    def find(self, name):
        first, _, rest = name.rpartition('.')
        return getattr(self.short[first], rest) if first else None

    def inputs(self, value, made):
        """Replace the descriptions of arrays by variables, which `made` gets."""
        if isinstance(value, described.Array):
            array = value.make()
            if value.below:
                return array
            made.append(self.chainer.Variable(array))
            return made[-1]
        if isinstance(value, (list, tuple)):
            return type(value)([self.inputs(each, made) for each in value])
        if isinstance(value, dict):
            return {key: self.inputs(each, made) for key, each in value.items()}
        return value

    def call(self, case, varied):
        """Return the result of a case, and the variables that it was made of."""
        np.random.seed(0)
        random.seed(0)
        made = []
        args = self.inputs(case.args, made)
        fixed = self.inputs(case.fixed, made)
        function = self.find(case.name)
        if function is None:
            special = _special(self, case.name, made)
            return special(*args, **fixed, **varied), made
        if case.name.startswith('Variable.') and case.get:
            (given,) = varied.values()
            result = function(*args, *(given if case.get == '*' else (given,)))
            return result, made
        if case.get == 'sample':
            given = varied.pop('shape')
            return function(*args, **fixed).sample(given), made
        result = function(*args, **fixed, **varied)
        if case.then:
            link = result
            keywords = {}
            then = []
            for each in case.then:
                if isinstance(each, str):
                    key, _, value = each.partition('=')
                    keywords[key] = int(value)
                else:
                    then.append(self.inputs(each, made))
            result = link(*then, **keywords)
            made.extend(
                [
                    param
                    for _, param in sorted(link.namedparams())
                    if param.array is not None
                ]
            )
        return _GET.get(case.get, lambda result: result)(result), made

    def outcome(self, case, varied):
        """Return an exception's type and text, or the result and the gradients."""
        with warnings.catch_warnings(), np.errstate(all='ignore'):
            warnings.simplefilter('ignore')
            try:
                result, made = self.call(case, varied)
                arrays = _flat(result)
                self._differentiate(result)
            except Exception as e:
                return type(e).__name__, str(e)
        return arrays + [
            None if each.grad is None else np.asarray(each.grad) for each in made
        ]

    def _differentiate(self, result):
        outputs = [
            y
            for y in _items(result)
            if isinstance(y, self.chainer.Variable)
            and y.dtype.kind == 'f'
            and y.creator is not None
        ]
        if outputs:
            for y in outputs:
                y.grad = np.cos(np.arange(y.size)).astype(y.dtype).reshape(y.shape)
            self.chainer.backward(outputs)

    def outcomes(self, case):
        """Yield the argument that is varied, the form, and the outcome."""
        for key, value in case.varied.items():
            for form, given in forms.of(value):
                yield key, form, self.outcome(case, {**case.varied, key: given})


class _Special:
    """Cases that are not the call of one public callable with its own arguments."""

    def __init__(self, library, rest, made):
        self.library, self.rest, self.made = library, rest, made
        self.chainer = library.chainer

    def _variable(self, *shape):
        return self.library.inputs(described.x(*shape), self.made)

    def upsampling(self, **given):
        x = self._variable(1, 2, 4, 3)
        _, indexes = self.chainer.functions.max_pooling_2d(
            self._variable(1, 2, 8, 6), 2, return_indices=True
        )
        return self.chainer.functions.upsampling_2d(x, indexes, **given)

    def tensordot(self, a, b, left, right):
        return self.chainer.functions.tensordot(a, b, (left, right))

    def einsum(self, a, b, first, second, out):
        return self.chainer.functions.einsum(a, first, b, second, out)

    def ctc_lengths(self, input_length, label_length):
        xs = [self._variable(2, 4) for _ in range(5)]
        labels = described.ids(3, 2, 2).make()
        return self.chainer.functions.connectionist_temporal_classification(
            xs, labels, 3, input_length, label_length
        )

    def slice(self, x, start, stop, step):
        return x[start:stop:step]

    def slice_of(self, start, stop, step):
        return self._dataset()[start:stop:step]

    def item_of(self, index):
        return self._dataset()[index]

    def _dataset(self):
        rows, more = np.arange(9), np.arange(9) * 10
        chainer = self.chainer
        datasets = chainer.datasets

        class Rows(chainer.dataset.DatasetMixin):
            def __len__(self):
                return 9

            def get_example(self, i):
                return rows[i]

        return {
            'TupleDataset': lambda: datasets.TupleDataset(rows, list(more)),
            'DictDataset': lambda: datasets.DictDataset(a=rows, b=list(more)),
            'ConcatenatedDataset': lambda: datasets.ConcatenatedDataset(
                list(rows[:4]), list(more[:5])
            ),
            'TransformDataset': lambda: datasets.TransformDataset(
                list(rows), lambda i: -i
            ),
            'SubDataset': lambda: datasets.SubDataset(list(rows), 1, 8),
            'DatasetMixin': Rows,
            'tabular': lambda: chainer.dataset.tabular.from_data((rows, list(more))),
        }[self.rest]()

    def initial(self, shape):
        initializers = self.chainer.initializers
        fill = (2.0,) if self.rest == 'Constant' else ()
        return initializers.generate_array(
            getattr(initializers, self.rest)(*fill), shape, np
        )

    def Parameter(self, value, shape):
        return self.chainer.Parameter(value, shape).array

    def Parameter_initialize(self, shape):
        parameter = self.chainer.Parameter(self.chainer.initializers.Normal())
        parameter.initialize(shape)
        return parameter.array

    def add_param(self, shape):
        link = self.chainer.Link()
        link.add_param('w', shape, initializer=self.chainer.initializers.Zero())
        return link.w.array

    def Link(self, shape):
        return self.chainer.Link(w=shape).w.shape

    def repeat(self, n_repeat):
        return len(self.chainer.links.Linear(2, 2).repeat(n_repeat))

    def _list(self, kind):
        layers = [self.chainer.links.Linear(i + 1, 2) for i in range(3)]
        return getattr(self.chainer, kind)(*layers)

    def ChainList_item(self, index):
        return self._list('ChainList')[index].W.shape

    def Sequential_item(self, index):
        return self._list('Sequential')[index].W.shape

    def _inserted(self, kind, index):
        layers = self._list(kind)
        layers.insert(index, self.chainer.links.Linear(9, 2))
        return [each.W.shape for each in layers]

    def ChainList_insert(self, index):
        return self._inserted('ChainList', index)

    def Sequential_insert(self, index):
        return self._inserted('Sequential', index)

    def Sequential_pop(self, index):
        return self._list('Sequential').pop(index).W.shape

    def sample(self, shape):
        given = self.library.inputs(described.DISTRIBUTIONS[self.rest], self.made)
        return getattr(self.chainer.distributions, self.rest)(**given).sample(shape)

    def concat_examples(self, padding):
        return self.chainer.dataset.concat_examples(
            [np.arange(2), np.arange(3)], padding=padding
        )

    def independent(self, reinterpreted_batch_ndims):
        normal = self.chainer.distributions.Normal(
            np.zeros((2, 3), 'f'), np.ones((2, 3), 'f')
        )
        both = self.chainer.distributions.Independent(normal, reinterpreted_batch_ndims)
        return both.event_shape, both.batch_shape, both.log_prob(np.ones((2, 3), 'f'))

    def classifier(self, label_key):
        x, t = self._variable(3, 4), described.ids(2, 3).make()
        model = self.chainer.links.Classifier(lambda x: x, label_key=label_key)
        return model(x, t)


def _special(library, name, made):
    """Return the method of `_Special` for the longest beginning of a name."""
    words = name.split()
    for count in range(len(words), 0, -1):
        special = _Special(library, ' '.join(words[count:]), made)
        method = getattr(special, '_'.join(words[:count]), None)
        if method is not None:
            return method
    raise LookupError(name)


def _rows(result):
    parts = result if isinstance(result, (tuple, list)) else [result]
    flat = []
    for part in parts:
        flat.extend(part if isinstance(part, tuple) else [part])
    return [each[:] for each in flat]


class _Clock:
    """As much of a trainer as triggers look at."""

    def __init__(self):
        self.updater = self
        self.iteration = self.epoch = self.previous_epoch_detail = self.epoch_detail = 0


def _fires(trigger):
    clock, fired = _Clock(), []
    for clock.iteration in range(1, 7):
        clock.previous_epoch_detail = clock.epoch_detail
        clock.epoch_detail = clock.iteration / 3
        clock.epoch = int(clock.epoch_detail)
        fired.append(bool(trigger(clock)))
    return fired


def _next(iterator):
    batches = [next(iterator) for _ in range(3)]
    iterator.finalize()
    return batches, iterator.epoch, iterator.epoch_detail


_GET = {
    '[]': _rows,
    'next': _next,
    'str': lambda result: len(str(result)),
    'fires': _fires,
    'to_dense': lambda result: result.to_dense(),
}


def _items(result):
    if isinstance(result, dict):
        result = [result[key] for key in sorted(result)]
    if isinstance(result, (tuple, list)):
        return [item for each in result for item in _items(each)]
    return [result]


def _flat(result):
    found = []
    for each in _items(result):
        if each is None or isinstance(each, (int, float, str)):
            found.append(each)
            continue
        array = getattr(each, 'array', each)
        found.append(np.asarray(array))
    return found
