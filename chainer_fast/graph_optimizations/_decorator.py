"""Decorators that are used with and without arguments."""
import warnings

from chainer_fast._help import mistakes


def decorated(name, static, args, options):
    """Return a decorated function, or a decorator.

    Parameters
    ----------
    name : str
        The public name of the decorator.
    static : callable
        Decorates a function; its keyword-only arguments are the options.
    args : tuple
        A single function is the one to decorate. Other values are ignored.
    options : dict
        Options. Unknown ones are ignored with a warning, as Chainer ignores them.
    """
    known = {key: value for key, value in options.items()
             if key in static.__kwdefaults__}
    for key in options.keys() - known.keys():
        question = mistakes.did_you_mean(key, static.__kwdefaults__)
        warnings.warn('%s ignores the unknown argument %r%s' % (
            name, key, '' if question is None else '; ' + question),
            stacklevel=mistakes.levels_to_the_caller())

    def decorate(func):
        return static(func, **known)
    return decorate(args[0]) if len(args) == 1 and callable(args[0]) else decorate
