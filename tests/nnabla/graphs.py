"""Graphs that are differentiated by nnabla and by chainer_fast, from one description.

This module needs NumPy alone. A library takes part by a class with
``variable(array)``, ``array(variable)``, ``sum(variable)``,
``grad(outputs, inputs, grad_outputs)`` and ``ops``, functions by the names in
:data:`SIGNATURES`; its variables have ``+``, ``*`` and ``**``.
"""
import numpy as np

SHAPES = {
    'M': (4, 3), 'V': (3,), 'W': (3, 3), 'I': (2, 2, 4, 4), 'K': (2, 2, 3, 3),
    'U': (2,), 'S': ()}
ORDERS = 3
RANDOM_GRAPHS = 200

_UNARY = ['sin', 'cos', 'tanh', 'sigmoid', 'exp', 'softplus', 'relu', 'leaky_relu',
          'elu', 'absolute', 'square', 'root', 'inverse', 'log', 'subtracted', 'arctan',
          'erf', 'clip']
_BINARY = ['add', 'subtract', 'multiply', 'divide', 'maximum', 'minimum', 'power']

#: Kinds of the inputs and of the output of each operation.
SIGNATURES = {
    **{'%s_%s' % (name, kind): kind + '>' + kind for name in _UNARY for kind in 'MIV'},
    **{'%s_%s' % (name, kind): kind + kind + '>' + kind
       for name in _BINARY for kind in 'MIV'},
    'affine': 'MWV>M', 'softmax': 'M>M', 'log_softmax': 'M>M', 'centered': 'M>M',
    'normalized_rows': 'MVV>M', 'products': 'MM>M', 'scaled_columns': 'MV>M',
    'scaled': 'MS>M', 'cumsum': 'M>M', 'joined': 'MM>M', 'stacked': 'MM>M',
    'flipped': 'M>M', 'padded': 'M>M', 'reshaped': 'M>M', 'chosen': 'MM>M',
    'looked_up': 'M>M', 'transposed': 'W>W', 'column_sums': 'M>V',
    'column_maxima': 'M>V', 'column_products': 'M>V', 'total': 'M>S', 'mean': 'M>S',
    'cross_entropy': 'M>S', 'sigmoid_cross_entropy': 'M>S', 'squared_error': 'MM>S',
    'huber': 'MM>S', 'convolution': 'IKU>I', 'deconvolution': 'IKU>I',
    'max_pooling': 'I>I', 'average_pooling': 'I>I', 'normalized_channels': 'IUU>I',
    'channel_means': 'I>U', 'channel_bias': 'IU>I', 'part': 'I>M',
}
LABELS = np.array([0, 2, 1, 1], 'i')
TARGETS = np.array([[0, 1, 1], [1, 0, 0], [1, 1, 0], [0, 0, 1]], 'i')
MASK = np.array([[1, 0, 0], [0, 1, 1], [1, 1, 0], [0, 0, 1]], 'f')
ROWS = np.array([3, 0, 0, 2], 'i')


class Graph:
    """Description of a graph and of what is differentiated.

    Attributes
    ----------
    kinds : list of str
        Kinds of the leaves.
    steps : list of (str, tuple of int)
        Operations, and the values that they take: leaves first, then results of steps.
    outputs, inputs : list of int
        Values.
    grad_outputs : None, (str, ...), or list of these
        ``'none'``, ``'number'``, ``'array'`` or ``'variable'`` for each.
    seed : int
        Seed of all arrays.
    """

    def __init__(self, kinds, steps, outputs, inputs, grad_outputs, seed):
        self.kinds = list(kinds)
        self.steps = steps
        self.outputs = outputs
        self.inputs = inputs
        self.grad_outputs = grad_outputs
        self.seed = seed

    def arrays(self):
        """Return the arrays of the leaves, multiples of 1/1024."""
        random = np.random.RandomState(self.seed)
        return [np.rint(random.uniform(-1, 1, SHAPES[kind]) * 1024) / 1024
                for kind in self.kinds]

    def values(self, library, leaves):
        """Return the variables of all leaves and steps."""
        values = list(leaves)
        for name, places in self.steps:
            values.append(library.ops[name](*[values[i] for i in places]))
        return values


def random_graph(seed):
    """Return a graph with shared values, several outputs and values out of reach."""
    random = np.random.RandomState(seed)

    def pick(sequence):
        return sequence[random.randint(len(sequence))]

    leaves = 'MMVVWIKUUS' + 'MI'        # no step takes the last two
    first, taken = len(leaves), len(leaves) - 2
    kinds = list(leaves)
    steps = []
    latest = pick([0, 5])
    for _ in range(random.randint(4, 13)):
        # As often an operation of its own kind as one of the many elementwise ones.
        names = [n for n in sorted(SIGNATURES)
                 if kinds[latest] in SIGNATURES[n].split('>')[0]]
        group = [n for n in names if (n[-2:] in ('_M', '_I', '_V')) == pick([0, 0, 1])]
        name = pick(group or ['multiply_V'])
        takes, gives = SIGNATURES[name].split('>')
        places = [pick([i for i, k in enumerate(kinds)
                        if k == kind and not taken <= i < first]) for kind in takes]
        if kinds[latest] in takes:
            fitting = [i for i, k in enumerate(takes) if k == kinds[latest]]
            places[pick(fitting)] = latest
        steps.append((name, tuple(places)))
        kinds.append(gives)
        # Most operations go on with the one before, so that graphs get deep.
        latest = len(kinds) - 1 if random.randint(5) else pick(range(first, len(kinds)))
    results = list(range(first, len(kinds)))
    more = random.choice(results, random.randint(0, min(3, len(results))))
    outputs = sorted({results[-1], *more.tolist()})
    behind = sorted(_behind(steps, first, outputs) - set(outputs))
    inputs = random.choice(
        behind, min(len(behind), random.randint(1, 5)), replace=False).tolist()
    if min(inputs) >= first:
        inputs.append(min(behind))
    if random.randint(3) == 0:
        inputs.insert(random.randint(len(inputs) + 1), pick([taken, taken + 1]))
    grad_outputs = [pick(['none', 'number', 'array', 'variable']) for _ in outputs]
    if random.randint(4) == 0:
        grad_outputs = None
    return Graph(leaves, steps, outputs, inputs, grad_outputs, seed)


def _behind(steps, first, outputs):
    """Return the values that the outputs depend on."""
    found = set(outputs)
    for i in range(len(steps) - 1, -1, -1):
        if first + i in found:
            found.update(steps[i][1])
    return found


def _network(steps, seed):
    """Return a graph with one output that is differentiated by all of its leaves."""
    kinds = 'MMVVWIKUUS'
    return Graph(kinds, steps, [len(kinds) + len(steps) - 1], [], None, seed)


def networks():
    """Return graphs of small networks by name; the first value is the image or row."""
    dense = [('affine', (0, 4, 2)), ('tanh_M', (10,)), ('affine', (11, 4, 3)),
             ('softplus_M', (12,)), ('mean', (13,))]
    normalized = [('affine', (0, 4, 2)), ('normalized_rows', (10, 2, 3)),
                  ('elu_M', (11,)), ('affine', (12, 4, 3)), ('cross_entropy', (13,))]
    images = [('convolution', (5, 6, 7)), ('leaky_relu_I', (10,)),
              ('max_pooling', (11,)), ('convolution', (12, 6, 8)), ('tanh_I', (13,)),
              ('part', (14,)), ('affine', (15, 4, 2)), ('mean', (16,))]
    pooled = [('deconvolution', (5, 6, 7)), ('normalized_channels', (10, 7, 8)),
              ('sigmoid_I', (11,)), ('average_pooling', (12,)), ('part', (13,)),
              ('cross_entropy', (14,))]
    recurrent = [('affine', (0, 4, 2)), ('tanh_M', (10,)), ('add_M', (11, 1)),
                 ('affine', (12, 4, 2)), ('tanh_M', (13,)), ('add_M', (14, 1)),
                 ('affine', (15, 4, 2)), ('squared_error', (16, 0))]
    found = dict(dense=dense, normalized=normalized, images=images, pooled=pooled,
                 recurrent=recurrent)
    return {name: (_network(steps, 1000 + i), 5 if steps[0][1][0] == 5 else 0)
            for i, (name, steps) in enumerate(found.items())}


def _used(graph):
    return sorted({i for _, places in graph.steps for i in places
                   if i < len(graph.kinds)})


def gradient_penalty(library, graph, place):
    """Return the gradients of a critic's loss with a penalty on the norm of another."""
    leaves = [library.variable(a) for a in graph.arrays()]
    y = graph.values(library, leaves)[-1]
    gx, = library.grad(y, leaves[place], None)
    norm = library.sum(gx ** 2.) ** .5
    loss = y + (norm + -1.) ** 2. * 10.
    parameters = [i for i in _used(graph) if i != place]
    gradients = library.grad([loss], [leaves[i] for i in parameters], None)
    return [library.array(g) for g in gradients]


def hessian_vector_product(library, graph, place):
    """Return products of the Hessian matrix and two vectors, over all used leaves."""
    leaves = [library.variable(a) for a in graph.arrays()]
    y = graph.values(library, leaves)[-1]
    xs = [leaves[i] for i in _used(graph)]
    gradients = library.grad([y], xs, None)
    products = []
    for seed in (1, 2):
        vectors = _directions(gradients, graph, _used(graph), seed, library)
        products += library.grad(gradients, xs, vectors)
    return [library.array(p) for p in products]


def _directions(variables, graph, places, seed, library):
    random = np.random.RandomState(seed)
    return [library.variable(random.choice([-1., -.5, .5, 1.], SHAPES[graph.kinds[i]]))
            for i in places]


def derivatives(library, graph, orders=ORDERS, leaves=None):
    """Return the gradients of a random graph, a list of arrays for each order.

    Each order differentiates functions of the gradients of the one before. The list
    ends early if the library has no gradient of some function.
    """
    if leaves is None:
        leaves = [library.variable(a) for a in graph.arrays()]
    values = graph.values(library, leaves)
    ys = [values[i] for i in graph.outputs]
    xs = [values[i] for i in graph.inputs]
    gys = _grad_outputs(library, graph, ys)
    found = []
    for order in range(1, orders + 1):
        try:
            gradients = library.grad(ys, xs, gys)
        except NotImplementedError:
            break
        found.append([library.array(g) for g in gradients])
        # Values in between count in the first order only: libraries differ in whether
        # they take such a value for a gradient or compute it again.
        xs = [x for x in xs if any(x is leaf for leaf in leaves)]
        root = library.ops['root_M']
        ys = [library.sum(root(g) * weight(order, i)) for i, g in enumerate(gradients)]
        gys = None
    return found


def weight(order, i):
    """Return the weight of gradient ``i`` in the functions for the next order."""
    return 1. + .25 * ((3 * order + i) % 5)


def _grad_outputs(library, graph, ys):
    if graph.grad_outputs is None:
        return None
    gys = []
    for i, (flavour, y) in enumerate(zip(graph.grad_outputs, ys, strict=True)):
        random = np.random.RandomState(graph.seed + i)
        array = np.rint(random.uniform(-2, 2, y.shape) * 64) / 64
        gys.append({'none': None, 'number': .75 + i, 'array': array,
                    'variable': library.variable(array)}[flavour])
    return gys


def fingerprint(array):
    """Return two numbers that tell arrays apart: a random projection and the norm."""
    signs = np.random.RandomState(7).choice([-1., 1.], array.size)
    flat = np.asarray(array, 'd').ravel()
    return float(signs @ flat), float(np.sqrt(flat @ flat))
