"""Callables that compute the layers of a network."""
import contextlib
import functools
import operator
import weakref

from chainer_fast import functions
from chainer_fast.configuration import using_config
from chainer_fast.links.caffe.protobuf3 import caffe_pb2 as caffe_pb


class _SingleArgumentFunction:
    """Calls a function of one variable with fixed additional arguments.

    Parameters
    ----------
    func : callable
        The function.
    *args, **kwargs
        The arguments after the variable.
    """

    # Entry of the configuration to change during the call, and its value.
    _entry = None

    def __init__(self, func, *args, **kwargs):
        self.func, self.args, self.kwargs = func, args, kwargs

    def __call__(self, x):
        changed = contextlib.nullcontext() if self._entry is None else using_config(
            *self._entry)
        with changed:
            return self.func(x, *self.args, **self.kwargs)


class _SingleArgumentFunctionTestMode(_SingleArgumentFunction):
    """Like its base class, with ``chainer.config.train`` set to False."""

    _entry = 'train', False


class _SingleArgumentFunctionWithCudnn(_SingleArgumentFunction):
    """Like its base class, with ``config.use_cudnn`` set to the first argument."""

    def __init__(self, use_cudnn, func, *args, **kwargs):
        super().__init__(func, *args, **kwargs)
        self.use_cudnn = use_cudnn

    @property
    def _entry(self):
        return 'use_cudnn', self.use_cudnn


class _ListArgumentFcuntion:
    """Calls a function of a tuple of variables, with keyword arguments.

    Parameters
    ----------
    func : callable
        The function.
    **kwargs
        Arguments after the tuple.
    """

    def __init__(self, func, **kwargs):
        self.func, self.kwargs = func, kwargs

    def __call__(self, *xs):
        return self.func(xs, **self.kwargs)


class _EltwiseFunction:
    """Computes the product, the weighted sum or the maximum of variables.

    Parameters
    ----------
    operation : int
        One of the values of ``EltwiseOp``.
    coeffs : list of float or None
        Weights of a sum, one for each variable.
    """

    def __init__(self, operation, coeffs=None):
        self.operation = operation
        self.coeffs = None if coeffs is None else list(coeffs)

    def __call__(self, *xs):
        ops = caffe_pb.EltwiseParameter
        if self.operation == ops.PROD:
            return functools.reduce(operator.mul, xs)
        if self.operation == ops.MAX:
            return functools.reduce(functions.maximum, xs)
        if self.operation != ops.SUM:
            raise ValueError(
                'Invalid EltwiseParameter.EltwiseOp value: %r' % (self.operation,))
        if self.coeffs is not None:
            assert len(xs) == len(self.coeffs), (
                'a weighted sum of %d inputs has %d coefficients'
                % (len(xs), len(self.coeffs)))
            xs = [x * c for x, c in zip(xs, self.coeffs, strict=True)]
        return functools.reduce(operator.add, xs)


class _CallChildLink:
    """Calls the child of a network that has a given name at the time of the call.

    Parameters
    ----------
    caffe_func : CaffeFunction
        The network. It is a weak reference, since the network refers to this object.
    name : str
        Name of the child.
    """

    def __init__(self, caffe_func, name):
        self._caffe_func = weakref.ref(caffe_func)
        self.name = name

    @property
    def caffe_func(self):
        """The network."""
        return self._caffe_func()

    def __call__(self, *xs, **kwargs):
        return self.caffe_func[self.name](*xs, **kwargs)

    def __reduce__(self):
        return type(self), (self.caffe_func, self.name)

    def __setstate__(self, state):
        # Chainer's pickles contain the network itself.
        self._caffe_func = weakref.ref(state['caffe_func'])
        self.name = state['name']


def _pool_all(pooling, x, **kwargs):
    """Pool over the whole image."""
    return pooling(x, x.shape[2:], **kwargs)
