"""Extension that ends a training that has diverged."""
from __future__ import annotations

from chainer_fast.backends.kernels import update_rules
from chainer_fast.training import extension
from chainer_fast.training.trainer import Trainer


class FailOnNonNumber(extension.Extension):
    """Extension that raises an error when a parameter is NaN or infinite.

    Raises
    ------
    RuntimeError
        In the training loop, with the names of the optimizer and the parameter.

    Examples
    --------
    ::

        trainer.extend(extensions.FailOnNonNumber())
    """

    def __call__(self, trainer: Trainer) -> None:
        for name, optimizer in trainer.updater.get_all_optimizers().items():
            params = list(optimizer.target.namedparams(include_uninit=False))
            finite = update_rules.are_finite([param.array for _, param in params])
            for (path, _), is_finite in zip(params, finite, strict=True):
                if not is_finite:
                    raise RuntimeError(
                        'the parameter %s of the optimizer %r has diverged: it '
                        'contains NaN or infinity' % (path, name))
