"""An extension that ends a training which has diverged."""
from chainer_fast.training import extension


class FailOnNonNumber(extension.Extension):
    """Extension that raises as soon as a parameter is NaN or infinite.

    Raises
    ------
    RuntimeError
        From the training loop, with the names of optimizer and parameter.
    """

    def __call__(self, trainer):
        for name, optimizer in trainer.updater.get_all_optimizers().items():
            for path, param in optimizer.target.namedparams(include_uninit=False):
                if not param.device.xp.isfinite(param.array).all():
                    raise RuntimeError(
                        'the parameter %s of the optimizer %r has diverged: it '
                        'contains NaN or infinity' % (path, name))
