"""Data sets, variables, initializers, functions and summaries of the old pickles."""
import copy

import chainer
import chainer.functions as F
import numpy as np
import old_models
from chainer import datasets, initializers, reporter
from old_links import Model, plain, values
from old_training import Optimizer, rows


class Object(object):       # noqa: UP004
    """An object that ``facts`` describes completely."""

    formats = ('pickle',)

    def __init__(self, make, facts):
        self.make = make
        self._facts = facts

    def facts(self, obj):
        facts = self._facts(obj)
        return {'class': type(obj).__name__, 'facts': facts}


def _rows_of(dataset):
    return [plain(list(row.values()) if isinstance(row, dict) else row)
            for row in (dataset[i] for i in range(len(dataset)))]


def _variable():
    x = chainer.Variable(values(2, 2), name='x')
    x.grad = values(2, 2) * 2
    return x


def _of_variable(x):
    return [x.name, plain(x.data), plain(x.grad), bool(x.requires_grad)
            if hasattr(x, 'requires_grad') else True]


def _shared():
    """A model that holds the same link twice, and a copy of it."""
    model = old_models.Perceptron()
    return {'model': model, 'again': model.l1, 'copy': copy.deepcopy(model)}


def _of_shared(found):
    return [found['again'] is found['model'].l1, found['copy'].l1 is found['again'],
            Model(None, [values(2, 3)]).facts(found['copy'])]


def _seeded(make):
    def made():
        np.random.seed(9)
        return make()
    return made


def _of_initializer(initializer):
    array = np.zeros((3, 3), np.float32)
    np.random.seed(10)
    initializer(array)
    if type(initializer).__name__ == 'Orthogonal':
        # Which matrix it is depends on the version.
        return plain(np.round(array.dot(array.T), 4) + 0)
    return plain(array)


def _summary():
    summary = reporter.Summary()
    for x in (1., 4., 2.):
        summary.add(x)
    return summary


def _of_summary(summary):
    return [float(x) for x in summary.make_statistics()]


def _summaries():
    summaries = reporter.DictSummary()
    summaries.add({'loss': 1., 'accuracy': .5})
    summaries.add({'loss': 3.})
    return summaries


def _of_summaries(summaries):
    return {key: float(x) for key, x in summaries.compute_mean().items()}


_INITIALIZERS = {
    'Constant': (3,), 'Zero': (), 'One': (), 'Identity': (), 'Normal': (.1,),
    'Uniform': (.1,), 'GlorotNormal': (), 'GlorotUniform': (), 'HeNormal': (),
    'HeUniform': (), 'LeCunNormal': (), 'LeCunUniform': (), 'Orthogonal': ()}
# Arguments of the constructor.
_FUNCTIONS = {
    'Sigmoid': (), 'Tanh': (), 'ReLU': (), 'LeakyReLU': (.3,), 'ClippedReLU': (4.,),
    'Softplus': (), 'ELU': (.7,), 'Softmax': (), 'Exp': (), 'Log': (), 'Sin': (),
    'Cos': (), 'HardSigmoid': (), 'Sum': (), 'Dropout': (.4,)}


def _of_function(function):
    x = values(2, 3) * 5
    x = chainer.Variable(x if function.__class__.__name__ != 'Log' else x + 6)
    np.random.seed(11)
    if isinstance(function, chainer.Function):
        return plain(function(x))
    return plain(function.apply((x,))[0])


def _copied_optimizer():
    return copy.deepcopy(Optimizer('Adam').make())


def cases():
    """Return the cases that this version of Chainer has, by name."""
    found = {
        'variable': Object(_variable, _of_variable),
        'variables': Object(
            lambda: {'a': chainer.Variable(values(2)), 'b': [_variable()]},
            lambda found: [_of_variable(found['a']), _of_variable(found['b'][0])]),
        'shared': Object(_seeded(_shared), _of_shared),
        'summary': Object(_summary, _of_summary),
        'summaries': Object(_summaries, _of_summaries),
        'arrays': Object(
            lambda: {'x': values(2, 3), 'f': np.asfortranarray(values(2, 3)),
                     'i': np.arange(3), 'b': np.array([True]), 'h': values(2).astype(
                         np.float16), 's': np.float32(2.5), 'n': np.int64(7),
                     'o': np.array([None, 'x'], object), 'u': np.array(
                         b'\xe4'.decode('latin1')),
                     'r': np.zeros(2, [('a', 'f4'), ('b', 'i4')]),
                     't': np.dtype('>i2'), 'plain': [1, 2.5, True, None, (3,), {4}]},
            lambda found: {key: plain(found[key]) for key in 'xfibhsnour'}),
        'copied_optimizer': Object(_copied_optimizer, Optimizer('Adam').facts),
        'datasets.TupleDataset': Object(rows, _rows_of),
        'datasets.DictDataset': Object(
            lambda: datasets.DictDataset(x=values(3, 2)), _rows_of),
        'datasets.SubDataset': Object(
            lambda: datasets.split_dataset_random(rows(), 4, seed=1)[1], _rows_of),
        'datasets.TransformDataset': Object(
            lambda: datasets.TransformDataset(rows(), old_models.doubled), _rows_of),
    }
    if hasattr(datasets, 'ConcatenatedDataset'):
        found['datasets.ConcatenatedDataset'] = Object(
            lambda: datasets.ConcatenatedDataset(rows(), rows()), _rows_of)
    if hasattr(chainer, 'Parameter'):
        found['parameter'] = Object(
            lambda: chainer.Parameter(initializers.Constant(2), (2, 3), name='W'),
            _of_variable)
        found['parameter.without_shape'] = Object(
            lambda: chainer.Parameter(initializers.Constant(2)),
            lambda param: [param.data is None, param.initialize((2,)), plain(param)])
    for name, args in _INITIALIZERS.items():
        if not hasattr(initializers, name):
            continue
        found['initializers.' + name] = Object(
            lambda name=name, args=args: getattr(initializers, name)(*args),
            _of_initializer)
    for name, args in _FUNCTIONS.items():
        home = _home(name)
        if home is not None:
            found['functions.' + name] = Object(
                lambda home=home, args=args: home(*args), _of_function)
    return found


def _home(name):
    """Return the class of a function, where this version has it; or None."""
    places = [F, F.activation, F.math, F.noise]
    for place in places[1:]:
        for module in vars(place).values():
            found = getattr(module, name, None)
            if isinstance(found, type) and issubclass(found, (
                    chainer.Function, getattr(chainer, 'FunctionNode', ()))):
                return found
    return getattr(F, name, None)
