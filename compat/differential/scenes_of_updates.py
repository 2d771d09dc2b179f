"""What is done with optimizers, their rules and their hooks."""

import numpy as np

from compat.differential import things
from compat.differential.scenes_of_data import saved


def updates(
    chainer, made, dtype='f4', hook=None, count=3, loss=False, link=None, spoiled=None
):
    """Update a chain by an optimizer; return parameters and states.

    ``spoiled`` is put into the gradients of the first parameter.
    """
    link = link if link is not None else things.chain(chainer, dtype)
    made.setup(link)
    if hook is not None:
        made.add_hook(hook)
    for _ in range(count):
        if loss:
            made.update(
                lambda: chainer.functions.sum(
                    link(np.linspace(-1, 1, 12).reshape(4, 3).astype(dtype)) ** 2
                )
            )
        else:
            things.with_gradients(chainer, link)
            if spoiled is not None:
                link.a.W.grad[0, 0] = spoiled
            made.update()
    return [
        made.t,
        {name: param.array for name, param in link.namedparams()},
        {name: param.grad for name, param in link.namedparams()},
        saved(chainer, made),
    ]


def hooked(chainer, made, dtype='f4', **kwargs):
    """Update with a hook of optimizers."""
    return updates(chainer, chainer.optimizers.SGD(0.1), dtype, made, **kwargs)


def one_update(chainer, made, param):
    """Make a rule of an optimizer update one parameter."""
    made.update(param)
    return [param.array, param.grad, made.state]


def half_updates(chainer, made):
    """Update parameters of float16 by rules that keep float32."""
    link = things.chain(chainer, 'f2')
    made.setup(link)
    made.use_fp32_update()
    return updates(chainer, made, 'f2', link=link)


def rule(chainer, made, param, enabled):
    """Update one parameter by the rule of an optimizer, two times."""
    found = made.create_update_rule()
    found.enabled = enabled
    param.update_rule = found
    param.update()
    param.update()
    return [param.array, found.t, found.state]


def updates_of(chainer, made, optimizer, x):
    """Train a link by an optimizer."""
    optimizer.setup(made)
    for _ in range(3):
        optimizer.update(lambda: chainer.functions.sum(made(x) ** 2))
    return made
