"""Extensions: parts of a training loop other than the updates."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from chainer_fast.serializer import AbstractSerializer

if TYPE_CHECKING:
    from types import TracebackType

    from chainer_fast.training.trainer import Trainer

PRIORITY_WRITER = 300
PRIORITY_EDITOR = 200
PRIORITY_READER = 100


class Extension:
    """Base class of extensions.

    The trainer calls an extension with itself as the argument whenever the trigger of
    the extension fires. Any callable can be an extension; this class shows all
    attributes and methods that the trainer uses.

    Attributes
    ----------
    trigger : tuple or callable
        When to call the extension, unless :meth:`Trainer.extend` overrides it.
    priority : int
        Order within one iteration, the highest first. Three values are customary, so
        that values are reported before they are read: ``PRIORITY_WRITER`` for
        extensions that report values, ``PRIORITY_EDITOR`` for those that change
        reported values, ``PRIORITY_READER`` for those that only read them or do not use
        them.
    name : str or None
        Name in the trainer; :meth:`Trainer.extend` sets it.

    See Also
    --------
    chainer_fast.training.make_extension

    Examples
    --------
    >>> from chainer_fast.testing import get_trainer_with_mock_updater
    >>> class Greeting(chainer.training.Extension):
    ...     trigger = 5, 'iteration'
    ...     def __call__(self, trainer):
    ...         print('iteration', trainer.updater.iteration)
    >>> trainer = get_trainer_with_mock_updater((10, 'iteration'))
    >>> trainer.extend(Greeting())
    >>> trainer.run()
    iteration 5
    iteration 10
    """

    trigger: Any = (1, 'iteration')
    priority = PRIORITY_READER
    name = None

    @property
    def default_name(self) -> str:
        """Default name: the name of the class."""
        return type(self).__name__

    def __call__(self, trainer: Trainer) -> Any:
        """Run the extension; subclasses implement this.

        Parameters
        ----------
        trainer : Trainer
            The trainer, right after an update of its updater.
        """
        raise NotImplementedError('%s has to define __call__(trainer)'
                                  % type(self).__name__)

    def __getattr__(self, name: str) -> Any:
        if name == 'invoke_before_training':
            raise AttributeError(
                'extensions have no attribute invoke_before_training since version 2; '
                'define initialize(trainer) to do something before the training')
        raise AttributeError('%r extension has no attribute %r'
                             % (type(self).__name__, name))

    def finalize(self) -> None:
        """Clean up; the trainer calls this once, after the loop has ended."""

    def initialize(self, trainer: Trainer) -> None:
        """Prepare; the trainer calls this once, before the loop begins.

        It is also called for a resumed training, after the state was restored, unless
        the trigger has a true attribute ``finished``. It may change hyperparameters,
        but must not disturb a restored state.

        Parameters
        ----------
        trainer : Trainer
            The trainer.
        """

    def on_error(self, trainer: Trainer, exc: Exception, tb: TracebackType) -> None:
        """React to an exception in the loop, before everything is finalized.

        Parameters
        ----------
        trainer : Trainer
            The trainer.
        exc : Exception
            The exception.
        tb : traceback
            Its traceback.
        """

    def serialize(self, serializer: AbstractSerializer) -> None:
        """Write the state to a serializer, or read it from a deserializer."""


_NOT_GIVEN = object()


def _refuse_invoke_before_training(value):
    if value is not _NOT_GIVEN:
        raise ValueError(
            'the argument invoke_before_training was removed in version 2; use the '
            'initializer of the extension')


def make_extension(
        trigger: Sequence[Any] | Callable[..., Any] | None = None,
        default_name: str | None = None, priority: int | None = None,
        finalizer: Callable[..., Any] | None = None,
        initializer: Callable[..., Any] | None = None,
        on_error: Callable[..., Any] | None = None, *,
        invoke_before_training: Any = _NOT_GIVEN) -> Callable[..., Any]:
    """Make a decorator that gives a function the attributes of an extension.

    Parameters
    ----------
    trigger : tuple or callable, optional
        Default trigger; by default every iteration.
    default_name : str, optional
        Default name; by default that of the function.
    priority : int, optional
        ``PRIORITY_READER`` by default.
    finalizer : callable, optional
        Becomes ``finalize``: called without arguments after the loop.
    initializer : callable, optional
        Becomes ``initialize``: called with the trainer before the loop.
    on_error : callable, optional
        Called with trainer, exception and traceback if the loop fails.

    Returns
    -------
    callable
        The decorator. It returns the function itself.

    Raises
    ------
    ValueError
        If the retired argument ``invoke_before_training`` is given.

    Examples
    --------
    >>> from chainer_fast.testing import get_trainer_with_mock_updater
    >>> @chainer.training.make_extension(trigger=(5, 'iteration'))
    ... def greet(trainer):
    ...     print('iteration', trainer.updater.iteration)
    >>> trainer = get_trainer_with_mock_updater((10, 'iteration'))
    >>> trainer.extend(greet)
    >>> trainer.run()
    iteration 5
    iteration 10
    """
    _refuse_invoke_before_training(invoke_before_training)

    def decorate(function):
        function.trigger = Extension.trigger if trigger is None else trigger
        function.default_name = default_name or function.__name__
        function.priority = Extension.priority if priority is None else priority
        function.finalize = finalizer
        function.on_error = on_error
        function.initialize = initializer
        return function

    return decorate
