"""Interface of updaters, as used by the trainer."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from chainer_fast.optimizer import Optimizer
from chainer_fast.serializer import AbstractSerializer

AN_OPTIMIZER = (
    'the optimizer of an updater must be a chainer.Optimizer or a dict of them, as in '
    'StandardUpdater(iterator, optimizer.setup(model))')

if TYPE_CHECKING:
    from chainer_fast.training.trainer import Trainer


class Updater:
    """Interface of updaters, which hold the models, the optimizers and the data.

    The trainer reads the attributes ``iteration``, ``epoch``, ``epoch_detail``,
    ``previous_epoch_detail`` and ``is_new_epoch``, which have the same meaning as
    in :class:`chainer_fast.dataset.Iterator`.

    See Also
    --------
    chainer_fast.training.StandardUpdater
    """

    iteration: int

    if TYPE_CHECKING:
        # These attributes, and those of one kind of updater.
        def __getattr__(self, name: str) -> Any: ...

    def _missing(self, method):
        return NotImplementedError('%s has to define %s'
                                   % (type(self).__name__, method))

    def connect_trainer(self, trainer: Trainer) -> None:
        """Attach the updater to a trainer; called when the trainer is made.

        Parameters
        ----------
        trainer : Trainer
        """

    def finalize(self) -> None:
        """Release resources of the updater, e.g. processes of its iterators."""
        raise self._missing('finalize()')

    def get_optimizer(self, name: str) -> Optimizer:
        """Return an optimizer by its name.

        Parameters
        ----------
        name : str
            ``'main'`` if there is only one.

        Returns
        -------
        chainer_fast.Optimizer
        """
        raise self._missing('get_optimizer(name)')

    def get_all_optimizers(self) -> dict[str, Optimizer]:
        """Return the dict of all optimizers by name."""
        raise self._missing('get_all_optimizers()')

    def update(self) -> None:
        """Perform one iteration: update the parameters with the next batch."""
        raise self._missing('update()')

    def serialize(self, serializer: AbstractSerializer) -> None:
        """Write the state to a serializer, or read it from a deserializer."""
        raise self._missing('serialize(serializer)')
