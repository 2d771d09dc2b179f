"""Translation of calls in the form of an earlier version to the current form."""
import contextlib
import functools
import inspect

import numpy

from chainer_fast.configuration import using_config
from chainer_fast.legacy import _frames, _report
from chainer_fast.legacy._engine import flags

_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY,
               inspect.Parameter.POSITIONAL_OR_KEYWORD)

# Arguments that became entries of the configuration: the entry and its value.
_CONFIGURED = {
    'train': lambda value: ('train', bool(value)),
    'test': lambda value: ('train', not value),
    'use_cudnn': lambda value: ('use_cudnn', 'auto' if value else 'never'),
    'deterministic': lambda value: ('cudnn_deterministic', bool(value)),
}


def _is_flag(value):
    return isinstance(value, (bool, numpy.bool_))


def configured(arguments):
    """Return a context that applies arguments that are now configuration entries.

    Parameters
    ----------
    arguments : dict
        Arguments by name; those that became configuration entries are removed.
    """
    context = contextlib.ExitStack()
    for name in list(arguments):
        value = arguments[name]
        if name == 'volatile':
            if flags.Flag(value) is flags.ON:
                context.enter_context(using_config('enable_backprop', False))
        elif name not in _CONFIGURED:
            continue
        # None let the link choose.
        elif value is not None:
            context.enter_context(using_config(*_CONFIGURED[name](value)))
        del arguments[name]
    return context


class OldForm:
    """The parameters of a callable in an earlier version.

    Parameters
    ----------
    what : str or None
        Full name of the callable, as in ``chainer.functions.dropout``; None if its
        arguments are not reported.
    old : str
        Names of the parameters of that version in order, separated by spaces. Removed
        flags are followed by one asterisk, other removed parameters by two.
    today : callable
        The callable that accepts the call now. A method has ``self`` in both forms.
    named : bool
        Whether the user named the version, so that an ambiguous call has the old
        meaning.
    """

    def __init__(self, what, old, today, named):
        words = old.split()
        self.old = [word.rstrip('*') for word in words]
        self.gone = {word.rstrip('*') for word in words if word.endswith('*')}
        self._flags = {word[:-1] for word in words
                       if word.endswith('*') and not word.endswith('**')}
        self._today = [parameter for parameter
                       in inspect.signature(today).parameters.values()
                       if parameter.kind in _POSITIONAL]
        same = [a == b.name for a, b in zip(self.old, self._today, strict=False)]
        self._shared = [*same, False].index(False)
        self._what, self.named = what, named

    def _tells(self, position, value):
        """Return whether only the old form allows a value at a position."""
        today, old = self._today[position], self.old[position]
        if _is_flag(today.default):
            # Integers 0 and 1 are treated as flags, as in the current form.
            return (value is not None and not _is_flag(value)
                    and not (isinstance(value, (int, numpy.integer))
                             and value in (0, 1))
                    and old not in self._flags)
        if today.name == 'activation':
            return value is not None and not callable(value)
        return _is_flag(value)

    def _fits(self, args):
        """Return whether the positional arguments match the old form."""
        return len(args) <= len(self.old) and all(
            _is_flag(value) or not hasattr(value, 'shape') and value in (0, 1, None)
            for name, value in zip(self.old, args, strict=False)
            if name in self._flags)

    def is_old(self, args, kwargs, prefers_old):
        """Return whether a call has the form of the earlier version.

        Parameters
        ----------
        args, kwargs
            Arguments of the call.
        prefers_old : bool
            Result for an ambiguous call.
        """
        if self.gone & kwargs.keys():
            return True
        if len(args) <= self._shared or not self._fits(args):
            return False
        return prefers_old or len(args) > len(self._today) or any(
            self._tells(position, args[position])
            for position in range(self._shared, len(args)))

    def bind(self, args, kwargs):
        """Split a call into its arguments, and report the removed ones.

        Returns
        -------
        args : tuple
            Arguments before the first difference of the forms.
        arguments : dict
            Other arguments, by their old names.
        """
        behind = dict(zip(self.old[self._shared:], args[self._shared:], strict=False))
        twice = behind.keys() & kwargs.keys()
        if twice:
            raise TypeError('%s got two values for %s' % (
                self._what, ', '.join(sorted(twice))))
        arguments = {**behind, **kwargs}
        if self._what is not None:
            self._report(arguments)
        return args[:self._shared], arguments

    def _report(self, arguments):
        gone = [name for name in self.old if name in self.gone and name in arguments]
        for name in gone:
            _report.adapted('%s(%s=)' % (self._what, name))
        if not gone:
            _report.adapted(self._what + ' by position')


def adapt(form, today, change=None, kept=()):
    """Let a callable accept calls of an earlier version, too.

    Parameters
    ----------
    form : OldForm
        Old form of its calls.
    today : callable
        The callable for current calls, and for translated old ones.
    change : callable or None
        Called with the arguments by their old names, to replace them by current ones.
    kept : tuple of str
        Arguments that are stored as attributes of the first argument, the object.
    """
    @functools.wraps(today)
    def call(*args, **kwargs):
        # This package itself uses the current form.
        prefers_old = form.named and _frames.is_called_by_program()
        if not form.is_old(args, kwargs, prefers_old):
            return today(*args, **kwargs)
        args, arguments = form.bind(args, kwargs)
        attributes = {name: arguments[name] for name in kept if name in arguments}
        if change is not None:
            change(arguments)
        with configured(arguments):
            result = today(*args, **arguments)
        if attributes:
            vars(args[0]).update(attributes)
        return result
    return call
