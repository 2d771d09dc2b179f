"""Display of optimizers in notebooks."""
from __future__ import annotations

from typing import Any

from chainer_fast._help.display.tree import Tree
from chainer_fast.link import _shown


def describe(optimizer: Any, name: str = '') -> Tree:
    """Return the description of an optimizer.

    Parameters
    ----------
    optimizer : Optimizer
    name : str
        Name of the optimizer in its updater.
    """
    values = {}
    if hasattr(optimizer, 'hyperparam'):
        values = optimizer.hyperparam.get_dict()
    note = ', '.join('%s=%s' % item for item in sorted(values.items()))
    rows = [('updates', str(optimizer.t)), ('epoch', str(optimizer.epoch))]
    hooks = optimizer._hookable
    if hooks is not None:
        rows += [('before updates', hook) for hook in hooks._pre_update_hooks]
        rows += [('after updates', hook) for hook in hooks._post_update_hooks]
    if optimizer.target is None:
        rows.append(('target', 'none: call setup() with a link'))
        inside = []
    else:
        inside = [_shown.describe(optimizer.target, 'target')]
    return Tree(type(optimizer).__name__, name, note, rows, inside)
