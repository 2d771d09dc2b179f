"""Hyperparameters of update rules, inherited from the optimizer's."""


class Hyperparameter:
    """Set of named values that falls back on a parent for what it does not have.

    An optimizer holds one, and the update rule of each parameter has a child of it: a
    value set on the optimizer reaches all rules but those that have a value of their
    own.

    Parameters
    ----------
    parent : Hyperparameter, optional
        Where missing attributes are looked up.

    Attributes
    ----------
    parent : Hyperparameter or None
    """

    __module__ = 'chainer_fast.optimizer'

    # What an instance without values has; compiled code reads it by this name.
    _fields = ('_parent',)

    def __init__(self, parent=None):
        self._parent = parent

    def __getattr__(self, name):
        # Called only if the instance has no such attribute; an instance that is being
        # copied or unpickled has no parent yet.
        parent = self.__dict__.get('_parent')
        if parent is None:
            raise AttributeError(
                'hyperparameter %r is set neither here nor in a parent' % name)
        return getattr(parent, name)

    def __repr__(self):
        pairs = ['%s=%s' % pair for pair in sorted(self.get_dict().items())]
        return 'Hyperparameter(%s)' % ', '.join(pairs)

    @property
    def parent(self):
        """Where missing attributes are looked up, or None."""
        return self._parent

    def get_dict(self):
        """Return all values, the inherited ones included.

        Returns
        -------
        dict
            From names to values.
        """
        inherited = {} if self._parent is None else self._parent.get_dict()
        own = {key: value for key, value in vars(self).items() if key != '_parent'}
        return {**inherited, **own}


class HyperparameterProxy:
    """Attribute of an optimizer that stands for a value in its ``hyperparam``.

    Parameters
    ----------
    attr_name : str
        Name of the hyperparameter.
    """

    __module__ = 'chainer_fast.optimizer'

    def __init__(self, attr_name):
        self._attr_name = attr_name
        self.__doc__ = 'The value of ``self.hyperparam.%s``.' % attr_name

    def __set__(self, obj, value):
        setattr(obj.hyperparam, self._attr_name, value)

    def __get__(self, obj, type=None):
        return self if obj is None else getattr(obj.hyperparam, self._attr_name)
