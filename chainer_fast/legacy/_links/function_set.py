"""``FunctionSet``, which contained the functions of a model before chains existed."""
import sys

from chainer_fast import link
from chainer_fast.legacy import _attributes, _report


class FunctionSet(link.Chain):
    """A chain whose links are registered by plain assignment.

    Parameters
    ----------
    **links : Link
        Links by name.
    """

    def __init__(self, **links):
        super().__init__()
        for name, value in links.items():
            setattr(self, name, value)

    def __setattr__(self, name, value):
        if isinstance(value, link.Link):
            with self.init_scope():
                super().__setattr__(name, value)
        else:
            super().__setattr__(name, value)

    def __getitem__(self, name):
        return getattr(self, name)

    def _ordered(self):
        """Return the parameters in the order in which the links were assigned."""
        children = [value for name, value in vars(self).items()
                    if name in self._children]
        return [parameter for child in children for parameter in child.params()]

    def _with(self, arrays):
        """Return pairs of a parameter and an array for it."""
        parameters, arrays = self._ordered(), list(arrays)
        if len(arrays) != len(parameters):
            raise ValueError('the set has %d parameters, but %d arrays were given' % (
                len(parameters), len(arrays)))
        for k, (parameter, array) in enumerate(zip(parameters, arrays, strict=True)):
            if parameter.shape != array.shape:
                raise ValueError('parameter %d has the shape %s, but its array %s' % (
                    k, parameter.shape, array.shape))
        return zip(parameters, arrays, strict=True)

    @property
    def parameters(self):
        """Arrays of the parameters, a tuple."""
        _report.adapted('chainer.FunctionSet.parameters')
        return tuple([parameter.data for parameter in self._ordered()])

    @parameters.setter
    def parameters(self, arrays):
        _report.adapted('chainer.FunctionSet.parameters')
        for parameter, array in self._with(arrays):
            parameter.data = array

    @property
    def gradients(self):
        """Gradients of the parameters, a tuple of arrays.

        Gradients that have not been cleared yet are NaN.
        """
        _report.adapted('chainer.FunctionSet.gradients')
        parameters = self._ordered()
        for parameter in parameters:
            if parameter.grad is None:
                parameter.grad = parameter.xp.full_like(parameter.data, float('nan'))
        return tuple([parameter.grad for parameter in parameters])

    @gradients.setter
    def gradients(self, arrays):
        _report.adapted('chainer.FunctionSet.gradients')
        for parameter, array in self._with(arrays):
            parameter.grad = array

    def collect_parameters(self):
        """Return the set itself, which an optimizer is set up with."""
        _report.adapted('chainer.FunctionSet.collect_parameters')
        return self

    def copy_parameters_from(self, params):
        """Copy values to the parameters, from arrays on any device.

        Parameters
        ----------
        params : iterable of array
            Values in the order of :attr:`parameters`.
        """
        _report.adapted('chainer.FunctionSet.copy_parameters_from')
        for parameter, array in self._with(params):
            parameter.data[...] = self.device.send(array)


# Pickles of that time refer to this module.
FunctionSet.__module__ = 'chainer_fast.function_set'


def install(patches):
    """Add the class, and the module that it was in."""
    module = sys.modules[__name__]
    _attributes.move(patches, {FunctionSet.__module__: module})
    _attributes.provide(
        patches, sys.modules['chainer_fast'], 'chainer.%s',
        {'FunctionSet': FunctionSet})
