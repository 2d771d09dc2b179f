"""Code that a user would write: samplers, functions, data sets, a training.

Each function takes the library first, and returns the object.
"""

import numpy as np


def sampler(chainer):
    """Return what samples five classes, always the same ones."""

    def sample(size):
        count = int(np.prod(size))
        return (np.arange(count) * 3 % 5).astype(np.int32).reshape(size)

    return sample


def identity(chainer):
    return lambda x: x


def negative(chainer):
    return lambda x: -x


def pair_swap(chainer):
    return lambda pair: (pair[1], pair[0])


def loss(chainer):
    return lambda x: chainer.functions.sum(x * x)


def mse(chainer):
    return lambda x, t: chainer.functions.mean_squared_error(x, t)


def average_pooling(chainer):
    return lambda x: chainer.functions.average_pooling_2d(x, 2)


def cosine_gradient(chainer):
    return lambda array: np.cos(np.arange(array.size)).reshape(array.shape)


def random_state(chainer, seed):
    return np.random.RandomState(seed)


def hook_of_user(chainer):
    """Return a function hook that does nothing."""

    class Hook(chainer.FunctionHook):
        name = 'Mine'

    return Hook()


def update_hook(chainer):
    """Return an optimizer hook that adds a half to each gradient."""

    def hook(rule, param):
        if param.grad is not None:
            param.grad = param.grad + np.asarray(0.5, param.grad.dtype)

    hook.name, hook.call_for_each_param, hook.timing = 'Half', True, 'pre'
    return hook


def rows(chainer):
    """Return a data set of nine numbers, made by a class."""

    class Rows(chainer.dataset.DatasetMixin):
        def __len__(self):
            return 9

        def get_example(self, i):
            return i * 10

    return Rows()


def chain(chainer, dtype='f4', shape=(3, 2)):
    """Return a chain of two layers with the same weights each time."""

    class Model(chainer.Chain):
        def __init__(self):
            super().__init__()
            with self.init_scope():
                self.a = layer(chainer, *shape, dtype=dtype)
                self.b = layer(chainer, shape[1], 2, dtype=dtype)
                self.w = chainer.Parameter(np.linspace(-1, 1, shape[1]).astype(dtype))
            self.add_persistent('count', 3)

        def forward(self, x):
            return self.b(chainer.functions.tanh(self.a(x)) + self.w)

    return Model()


def layer(chainer, n_in, n_out, dtype='f4'):
    weights = np.sin(np.arange(n_in * n_out)).reshape(n_out, n_in).astype(dtype)
    return chainer.links.Linear(
        n_in, n_out, initialW=weights, initial_bias=np.arange(n_out).astype(dtype)
    )


def sequential(chainer):
    return chainer.Sequential(
        layer(chainer, 3, 2), chainer.functions.relu, layer(chainer, 2, 2)
    )


def chain_list(chainer):
    return chainer.ChainList(layer(chainer, 3, 2), layer(chainer, 2, 2))


def graph(chainer, x):
    """Return a result of two functions of a variable."""
    return chainer.functions.exp(x) * x


def parameter(chainer, dtype='f4'):
    """Return a parameter with a gradient."""
    made = chainer.Parameter(np.linspace(-1, 1, 6).reshape(2, 3).astype(dtype))
    made.grad = np.cos(np.arange(6)).reshape(2, 3).astype(dtype)
    return made


def with_gradients(chainer, link):
    for number, (_, each) in enumerate(sorted(link.namedparams())):
        if each.array is not None:
            each.grad = (
                np.cos(np.arange(each.size) + number)
                .reshape(each.shape)
                .astype(each.dtype)
            )
    return link


def namespace(chainer, items):
    """Return an object with the attributes that extensions read of a trainer."""

    class Found:
        pass

    found = Found()
    vars(found).update(items)
    return found


def training(
    chainer, examples=12, batch=4, epochs=2, stop=None, out='result', optimizer=None
):
    """Return a trainer of a small model, without extensions."""
    random = np.random.RandomState(1)
    data = list(
        zip(
            random.standard_normal((examples, 3)).astype('f4'),
            (np.arange(examples) % 2).astype('i4'),
            strict=True,
        )
    )
    iterator = chainer.iterators.SerialIterator(data, batch, shuffle=False)
    model = chainer.links.Classifier(chain(chainer))
    optimizer = optimizer or chainer.optimizers.MomentumSGD(0.1)
    optimizer.setup(model)
    updater = chainer.training.updaters.StandardUpdater(iterator, optimizer)
    return chainer.training.Trainer(
        updater, tuple(stop) if stop else (epochs, 'epoch'), out=out
    )


def sparse(chainer, *size):
    """Return a sparse matrix of three rows and four columns with a variable."""
    data = chainer.Variable(np.array([1.0, -2.0, 3.0], 'f4'))
    return chainer.utils.CooMatrix(
        data,
        np.array([0, 1, 2], 'i4'),
        np.array([1, 3, 0], 'i4'),
        tuple(size) or (3, 4),
    )


def cosine_function(chainer):
    return lambda *xs: chainer.functions.cos(xs[0]) * 2


def numpy(chainer):
    return np


def total(chainer, x):
    """Return the sum of a result of two functions of a variable."""
    return chainer.functions.sum(graph(chainer, x))


def node(chainer):
    """Return a function node that nothing was computed by."""

    class Node(chainer.FunctionNode):
        def forward(self, inputs):
            return inputs

    return Node()


def link_hook(chainer):
    class Hook(chainer.LinkHook):
        name = 'Mine'

    return Hook()


def lazy(chainer):
    """Return a chain with a layer that has no weights yet."""
    return chainer.Chain(a=chainer.links.Linear(None, 2), b=layer(chainer, 2, 2))


def visitor(chainer):
    """Return what visits links on their way to another device."""

    class Visitor(chainer.device_resident.DeviceResidentsVisitor):
        def visit_device_resident(self, resident):
            pass

        def visit_array(self, array):
            return array

        def visit_variable(self, variable):
            pass

    return Visitor()
