"""Rows of the sweep as a group of workloads, for our side, the general way and PyTorch.
"""
from functions import (
    losses,  # noqa: F401 (it registers cases that rows are made of)
    steps,
)
from sweep import tables

ROWS = {'S.' + row.title: row for kind in tables.KINDS for row in kind.rows()}
TITLES = {key: row.title for key, row in ROWS.items()}
ROUNDS = 5
PEERS = 'torch',

#: Relative and absolute differences that results may have: that to the exact result is
#: a few roundings of each operation on either side.
TOLERANCES = {'f': (1e-3, 1e-5), 'd': (1e-6, 1e-9), 'e': (3e-2, 3e-2)}


def tolerance(key):
    """Return the relative and the absolute difference that results may have."""
    return TOLERANCES[ROWS[key].dtype]


def chainer_step(chainer, key):
    """Return a step by Chainer's interface."""
    return steps.step_by_chainer(chainer, ROWS[key].case())


def general_step(chainer, key):
    """Return a step by the methods of functions, without shortcuts."""
    # The presence of a hook makes every function go that way.
    hook = type('General', (chainer.FunctionHook,), {'name': 'general'})
    with hook():
        step = chainer_step(chainer, key)

    def general():
        with hook():
            return step()

    def check():
        with hook():
            return step.check()
    general.check = check
    return general


def torch_step(torch, key):
    """Return a step by PyTorch's interface, or None if it has no such function.

    It has not all functions in half precision.
    """
    try:
        return steps.step_by_torch(torch, ROWS[key].case())
    except NotImplementedError:
        return None
