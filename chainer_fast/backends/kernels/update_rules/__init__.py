"""Update rules of optimizers, and hooks that change gradients.

The NumPy reference of a rule is its ``_move`` in :mod:`chainer_fast.optimizers`; that
of a hook is its ``_change`` in :mod:`chainer_fast.optimizer_hooks`.
"""
