"""Values that are computed once."""
import functools

from chainer_fast.configuration import config


class cached_property:
    """A property whose value is computed at the first access and kept.

    There are separate values with and without ``config.enable_backprop``: a value
    computed without a graph cannot be differentiated.

    Parameters
    ----------
    func : callable
        The method that computes the value.
    """

    __name__: str

    def __init__(self, func):
        self.func = func
        # Takes the name and the docstring; mypy wants a function to take them.
        functools.update_wrapper(self, func)  # type: ignore[arg-type]

    def __get__(self, obj, cls):
        if obj is None:
            return self
        values = vars(obj).setdefault(self.__name__, {})
        has_graph = config.enable_backprop
        if has_graph not in values:
            values[has_graph] = self.func(obj)
        return values[has_graph]

    # Also gives the property precedence over the object's dict.
    def __set__(self, obj, cls):
        raise AttributeError('%s.%s is computed and cannot be set'
                             % (type(obj).__name__, self.__name__))
