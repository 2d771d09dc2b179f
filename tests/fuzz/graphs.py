"""Programs whose arrays change between their passes."""
import contextlib
import dataclasses
import importlib
import pkgutil
import warnings

import numpy as np

import chainer_fast as chainer
from chainer_fast.backends import kernels
from tests import programs
from tests.fuzz import changes
from tests.ways import General


def all_kernels():
    """Return all kernels that have a compiled form, by name."""
    found = {}
    for module in pkgutil.walk_packages(kernels.__path__, kernels.__name__ + '.'):
        if module.name.rpartition('.')[2] == 'cuda':
            continue
        for each in vars(importlib.import_module(module.name)).values():
            if isinstance(each, kernels.Kernel) and each.compiled is not None:
                family = each.reference.__module__.removeprefix(kernels.__name__ + '.')
                found['%s.%s' % (family, each.__name__)] = each
    return found


KERNELS = all_kernels()


@contextlib.contextmanager
def general_way():
    """Use no compiled form of a function or of a kernel."""
    forms = {each: each.compiled for each in KERNELS.values()}
    for each in forms:
        each.compiled = None
    try:
        with General():
            yield
    finally:
        for each, form in forms.items():
            each.compiled = form


#: Programs that meet arrays of more axes than NumPy 1 takes. NumPy 2.4 reads out of
#: bounds in ``add.at`` then, which the general way of others calls.
_DEEP = {
    'relu', 'tanh', 'softplus', 'elu', 'softmax', 'log_softmax', 'normalize', 'average',
    'sum of an axis', 'add', 'mul', 'div', 'prelu', 'swish', 'maxout', 'dropout',
    'where', 'concat', 'reshape', 'linear', 'matmul', 'convolution_2d',
    'batch_normalization', 'fixed_batch_normalization', 'layer_normalization',
    'group_normalization', 'local_response_normalization', 'lstm', 'slstm', 'tree_lstm',
    'average_pooling_2d'}


# ---------------------------------------------------------------- what a graph holds

def functions_of(variables):
    """Return the functions that led to some variables, in a fixed order."""
    found, left = [], [v.creator_node for v in variables]
    while left:
        function = left.pop()
        if function is None or function in found:
            continue
        found.append(function)
        left += [node.creator_node for node in function.inputs or ()]
    return found


def _nodes(outputs, functions):
    nodes = [y.node for y in outputs]
    for function in functions:
        nodes += [node for node in function.inputs or () if node not in nodes]
    return nodes


def arrays_in(value, depth=3):
    """Return the arrays in lists, tuples, dicts and attributes, and NumPy's numbers."""
    if isinstance(value, (np.ndarray, np.generic)):
        return [np.asarray(value)]
    if isinstance(value, chainer.Variable):
        return arrays_in(value.array)
    if depth and isinstance(value, (list, tuple)):
        return [a for each in value for a in arrays_in(each, depth - 1)]
    if depth and isinstance(value, dict):
        return arrays_in(list(value.values()), depth - 1)
    return []


@dataclasses.dataclass
class _Graph:
    """A graph, and what changed in it."""

    outputs: list
    random: np.random.RandomState
    comparable: bool = True
    notes: list = dataclasses.field(default_factory=list)
    deep: bool = False

    def __post_init__(self):
        self.functions = functions_of(self.outputs)
        self.nodes = _nodes(self.outputs, self.functions)
        self.variables = [node.get_variable() for node in self.nodes]

    def change(self):
        """Change something."""
        random = self.random
        kind = random.randint(20)
        i = random.randint(len(self.nodes))
        variable, node = self.variables[i], self.nodes[i]
        random = np.random.RandomState(random.randint(1 << 30))
        if kind < 12:
            array = changes.other(
                node.shape or (2, 3), node.dtype or 'f', random, self.deep)
            if kind < 10:
                variable.array = array
            else:
                node.data = array
            self.note('replace' if kind < 10 else 'retain', i, array)
        elif kind < 14 and variable.array is not None:
            self.note('spoil', i, changes.spoil(variable.array, random))
        elif kind < 16 and variable.array is not None:
            self.resize(variable.array, random)
        elif kind == 16:
            self.grad(variable, random)
        elif kind == 17:
            self.note('forget', i)
            self.variables[i] = None
        else:
            self.attribute(kind == 18, random)

    def note(self, *what):
        self.notes.append(tuple([
            (a.shape, a.dtype.str, a.strides) if isinstance(a, np.ndarray) else a
            for a in what]))

    def resize(self, array, random):
        held = [v for f in self.functions for v in arrays_in(vars(f))]
        held += [a for v in self.variables if v is not None
                 for a in arrays_in((v.array, v._grad))]
        held += [a for n in self.nodes for a in arrays_in(n.data)]
        self.note('resize', changes.resize(array, held, random))

    def grad(self, variable, random):
        if variable.grad is None:
            return
        array = changes.other(variable.grad.shape, variable.grad.dtype, random)
        self.note('grad', array)
        try:
            variable.grad = array
        except (TypeError, ValueError):
            pass    # it is checked against the data

    def attribute(self, whole, random):
        """Change an array that a function has kept for itself."""
        kept = [(f, name) for f in self.functions for name in sorted(vars(f))
                if arrays_in(vars(f)[name])]
        if not kept:
            return
        # The general way keeps other things.
        self.comparable = False
        function, name = kept[random.randint(len(kept))]
        value = vars(function)[name]
        self.note('attribute', function.label, name, whole)
        if whole and isinstance(value, np.ndarray):
            setattr(function, name, changes.other(value.shape, value.dtype, random))
        else:
            found = arrays_in(value)
            changes.spoil(found[random.randint(len(found))], random)


# ------------------------------------------------------------------------- one call

@dataclasses.dataclass
class Outcome:
    """What came of a call: arrays, or an exception."""

    arrays: list | None
    error: Exception | None
    comparable: bool
    notes: list


def _seeds(outputs, random):
    for y in outputs:
        if y.dtype.kind == 'f':
            y.grad = random.normal(size=y.shape).astype(y.dtype)


def call(seed, names=None, changing=True):
    """Run a program with changes that a seed decides, and return the outcome."""
    random = np.random.RandomState(seed)
    names = list(names or programs.MAKERS)
    name = names[random.randint(len(names))]
    np.random.seed(seed)
    program = programs.MAKERS[name](random)
    origins = np.random.RandomState(seed)
    xs = [chainer.Variable(
        changes.foreign(a, origins),
        requires_grad=a.dtype.kind == 'f' and random.randint(8) > 0)
        for a in program.arrays]
    leaves = [x for x in xs if x.requires_grad]
    double = random.randint(4) == 0
    deep = name in _DEEP
    graph = _Graph([], random, deep=deep)
    unchecked = random.randint(6) == 0
    graph.notes.append((name, double, unchecked))
    try:
        with warnings.catch_warnings(), np.errstate(
                all='ignore'), chainer.using_config('type_check', not unchecked):
            warnings.simplefilter('ignore')
            if changing and random.randint(6) == 0:
                _change_inputs(xs, random, graph)
            outputs = program.compute(*xs)
            outputs = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
            notes = graph.notes
            graph = _Graph(outputs, random, notes=notes, deep=deep)
            _seeds(outputs, random)
            if changing:
                for _ in range(random.randint(1, 4)):
                    graph.change()
            if double:
                graph = _differentiate_twice(graph, leaves, changing)
            else:
                chainer.backward([y for y in outputs if y.dtype.kind == 'f'])
            found = [None if x.grad is None else x.grad.copy() for x in leaves]
    except Exception as error:
        return Outcome(None, error, graph.comparable, graph.notes)
    return Outcome(found, None, graph.comparable, graph.notes)


def _change_inputs(xs, random, graph):
    for _ in range(random.randint(1, 3)):
        i = random.randint(len(xs))
        array = changes.other(xs[i].shape, xs[i].dtype, random, graph.deep)
        if array is not None:
            xs[i].array = array
            graph.note('before', i, array)


def _differentiate_twice(graph, leaves, changing):
    outputs = [y for y in graph.outputs if y.dtype.kind == 'f' and y.grad is not None]
    grads = chainer.grad(
        outputs, leaves, [y.grad_var for y in outputs], enable_double_backprop=True)
    grads = [g for g in grads if g is not None]
    if not grads:
        return graph
    again = _Graph(grads, graph.random, graph.comparable, graph.notes,
                   graph.deep)
    for g in grads:
        g.grad = np.ones_like(g.array)
    if changing:
        for _ in range(graph.random.randint(3)):
            again.change()
    chainer.backward(grads)
    return again


def _differ(a, b):
    if a is None or b is None:
        return a is not b
    if a.dtype.newbyteorder('=') != b.dtype.newbyteorder('=') or a.shape != b.shape:
        return True
    if a.dtype.kind not in 'fc' or not (np.isfinite(a).all() and np.isfinite(b).all()):
        return False
    a, b = a.astype('D'), b.astype('D')
    largest = float(abs(b).max(initial=1))
    return bool((abs(a - b) > 1e-3 * largest).any())


def classes_of(seed, name):
    """Return the classes of functions in a program and in its gradients."""
    program = programs.MAKERS[name](np.random.RandomState(seed))
    xs = [chainer.Variable(a, requires_grad=a.dtype.kind == 'f')
          for a in program.arrays]
    with warnings.catch_warnings(), np.errstate(all='ignore'):
        warnings.simplefilter('ignore')
        outputs = program.compute(*xs)
        outputs = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
        found = functions_of(outputs)
        try:
            grads = chainer.grad(
                [y for y in outputs if y.dtype.kind == 'f'],
                [x for x in xs if x.requires_grad], enable_double_backprop=True)
        except Exception:
            grads = []
        found += functions_of([g for g in grads if g is not None])
    return {type(f) for f in found}


def _keeps_copies(notes):
    """Tell whether values were changed of which a function has its own copies.

    Layers of recurrent networks copy what they are given, and old-style functions look
    at what nodes retain.
    """
    if notes[0][0] == 'hierarchical_softmax':
        return any([note[0] == 'retain' for note in notes])
    return notes[0][0].startswith('n_step') and any(
        [note[0] in ('spoil', 'resize') for note in notes])


def compare(seed, names=None):
    """Run a program by compiled forms and the general way.

    Returns
    -------
    str or None
        What is wrong.
    """
    got = call(seed, names)
    with general_way():
        expected = call(seed, names)
    if isinstance(got.error, (SystemError, RecursionError)):
        return 'seed %d: %r of %s' % (seed, got.error, got.notes)
    if not (got.comparable and expected.comparable) or got.notes != expected.notes:
        return None
    if _keeps_copies(got.notes):
        return None
    if (got.error is None) != (expected.error is None):
        return 'seed %d: %r, the general way %r, of %s' % (
            seed, got.error or 'a result', expected.error or 'a result', got.notes)
    if got.error is None:
        for a, b in zip(got.arrays, expected.arrays, strict=True):
            if _differ(a, b):
                return 'seed %d: %s, the general way %s, of %s' % (
                    seed, a, b, got.notes)
    return None
