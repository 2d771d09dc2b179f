"""Interface of updaters, as used by the trainer."""


class Updater:
    """Interface of updaters, which know the models, the optimizers and the data.

    The trainer reads the attributes ``iteration``, ``epoch``, ``epoch_detail``,
    ``previous_epoch_detail`` and ``is_new_epoch``, with the meaning they have for
    :class:`chainer_fast.dataset.Iterator`.

    See Also
    --------
    chainer_fast.training.StandardUpdater
    """

    iteration: int

    def _missing(self, method):
        return NotImplementedError('%s has to define %s'
                                   % (type(self).__name__, method))

    def connect_trainer(self, trainer):
        """Attach the updater to a trainer; called when the trainer is made.

        Parameters
        ----------
        trainer : Trainer
        """

    def finalize(self):
        """Release resources of the updater, e.g. processes of its iterators."""
        raise self._missing('finalize()')

    def get_optimizer(self, name):
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

    def get_all_optimizers(self):
        """Return the dict of all optimizers by name."""
        raise self._missing('get_all_optimizers()')

    def update(self):
        """Do one iteration: take a batch and update the parameters with it."""
        raise self._missing('update()')

    def serialize(self, serializer):
        """Write the state to a serializer, or read it from a deserializer."""
        raise self._missing('serialize(serializer)')
