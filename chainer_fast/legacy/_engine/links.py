"""Links of version 1, whose parameters could be declared before their creation."""
import numpy

from chainer_fast.initializers import _get_initializer, constant
from chainer_fast.legacy import _report
from chainer_fast.link import Link
from chainer_fast.variable import Parameter


def install(patches):
    """Restore parameters without a shape as in version 1.

    They are current parameters that are not initialized, so that an optimizer that is
    set up before their shape is known updates them, too.
    """
    add_param = Link.add_param

    def add_uninitialized_param(self, name):
        _report.adapted('chainer.Link.add_uninitialized_param')
        if name in self.__dict__:
            raise AttributeError(
                'cannot register a new uninitialized parameter %s: attribute exists'
                % name)
        with self.init_scope():
            setattr(self, name, Parameter())
        self.__dict__.setdefault('_announced', set()).add(name)

    def get_has_uninitialized_params(self):
        _report.adapted('chainer.Link.has_uninitialized_params')
        return any(not param.is_initialized for param in self.params())

    def add_param_or_fill(
            self, name, shape=None, dtype=numpy.float32, initializer=None):
        announced = self.__dict__.get('_announced', ())
        if name not in announced:
            return add_param(self, name, shape, dtype, initializer)
        param = self.__dict__[name]
        if initializer is None:
            initializer = constant.NaN(dtype)
        param.initializer = _get_initializer(initializer)
        if not param.is_initialized:
            param.initialize(shape)
        announced.discard(name)

    patches.set(Link, 'add_uninitialized_param', add_uninitialized_param)
    patches.set(
        Link, 'has_uninitialized_params', property(get_has_uninitialized_params))
    add_param_or_fill.__doc__ = add_param.__doc__
    patches.set(Link, 'add_param', add_param_or_fill)
