"""The flags of version 1, which specify whether a variable is volatile."""


class Flag:
    """ON, OFF or AUTO; there is one object of each.

    Parameters
    ----------
    name : Flag, bool, str or None
        A flag itself, True or ``'on'``, False or ``'off'``, None or ``'auto'``.
    """

    __slots__ = ('_name', '_values')
    _name: str
    _values: tuple

    def __new__(cls, name=None):
        return name if isinstance(name, Flag) else _FLAGS[name]

    def __eq__(self, other):
        return self is Flag(other)

    def __hash__(self):
        return hash(self._values[0])

    def __repr__(self):
        return self._name

    def __bool__(self):
        if self is AUTO:
            raise ValueError('Flag AUTO cannot be converted to boolean')
        return self is ON

    def __reduce__(self):
        return Flag, (self._values[1],)


_FLAGS = {}


def _make(name, *values):
    flag = object.__new__(Flag)
    flag._name, flag._values = name, values
    _FLAGS.update(dict.fromkeys(values, flag))
    return flag


#: Neither the variable nor what is computed from it has a graph.
ON = _make('ON', True, 'on', 'ON')
#: It does.
OFF = _make('OFF', False, 'off', 'OFF')
#: The other operands determine it, or else the configuration.
AUTO = _make('AUTO', None, 'auto', 'AUTO')


def aggregate_flags(flags):
    """Return the flag of the result of operands with given flags.

    Raises
    ------
    ValueError
        If ON and OFF are among them.
    """
    found = set(flags)
    if ON in found and OFF in found:
        raise ValueError('ON and OFF flags cannot be mixed.')
    return ON if ON in found else OFF if OFF in found else AUTO
