"""Warnings of links that an optimizer will not update."""
from __future__ import annotations

from chainer_fast._help import mistakes


def check(root):
    """Warn, once a place, of links that a model holds and has not registered.

    Parameters
    ----------
    root : chainer_fast.Link
        The link that an optimizer is set up with.
    """
    registered = {id(link) for link in root.links()}
    for path, link in root.namedlinks():
        for name, value in vars(link).items():
            if not name.startswith('_'):
                _check_attribute(
                    type(root).__name__ + path.replace('/', '.').rstrip('.'),
                    name, value, registered)
    if not any(True for _ in root.params()):
        mistakes.warn_once((type(root), None), (
            '%s has no parameters to update: assign links and parameters inside of '
            '`with self.init_scope():`' % type(root).__name__))


def _check_attribute(owner, name, value, registered):
    values = value if isinstance(value, (list, tuple)) else (value,)
    for each in values:
        is_link = hasattr(each, 'namedlinks') and not isinstance(each, type)
        if is_link and id(each) not in registered:
            cure = 'assign it inside of `with self.init_scope():`'
            if each is not value:
                cure = 'put a chainer.ChainList in the place of the %s, and %s' % (
                    type(value).__name__, cure)
            mistakes.warn_once((owner, name), (
                '%s.%s holds a %s that is not registered, so that the optimizer does '
                'not update it: %s' % (owner, name, type(each).__name__, cure)))
            return
