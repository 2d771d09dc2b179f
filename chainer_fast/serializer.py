"""Base classes of serializers and deserializers."""
from __future__ import annotations

from typing import Any

from chainer_fast._help import mistakes

TO_SERIALIZE = (
    'an object that is saved or loaded must have a method serialize(serializer), as '
    'links and optimizers have')


class AbstractSerializer:
    """Base class of serializers and deserializers.

    A serializer visits an object whose method ``serialize(serializer)`` calls it once
    for each value, as ``value = serializer(key, value)``. A serializer returns the
    value unchanged; a deserializer returns the saved value.

    See Also
    --------
    chainer_fast.serializers

    Examples
    --------
    An object of two values that can be saved:

    >>> class Counter:
    ...     count, name = 0, 'x'
    ...     def serialize(self, serializer):
    ...         self.count = serializer('count', self.count)
    >>> counter, same = Counter(), Counter()
    >>> counter.count = 3
    >>> chainer.serializers.save_npz('counter.npz', counter)
    >>> chainer.serializers.load_npz('counter.npz', same)
    >>> int(same.count)
    3
    """

    def __call__(self, key: str, value: Any) -> Any:
        """Save or load one value.

        Parameters
        ----------
        key : str
            Name of the value.
        value : scalar, numpy.ndarray, cupy.ndarray or None
            The value to save, or the current value. A deserializer fills an array in
            place; for None it returns a new array.

        Returns
        -------
        scalar, numpy.ndarray, cupy.ndarray or None
            The value itself when saving, the loaded one when loading.
        """
        raise NotImplementedError

    def __getitem__(self, key: str) -> AbstractSerializer:
        """Return the serializer of a child object.

        Parameters
        ----------
        key : str
            Name of the child.

        Returns
        -------
        AbstractSerializer
            Serializer whose keys are below the name.
        """
        raise NotImplementedError


class Deserializer(AbstractSerializer):
    """Base class of deserializers, which load objects."""

    def load(self, obj: Any) -> None:
        """Load into an object by its ``serialize`` method.

        Parameters
        ----------
        obj : object
            An object with a method ``serialize``.
        """
        mistakes.require(obj, 'serialize', TO_SERIALIZE)
        obj.serialize(self)


class Serializer(AbstractSerializer):
    """Base class of serializers, which save objects."""

    def save(self, obj: Any) -> None:
        """Save an object by its ``serialize`` method.

        Parameters
        ----------
        obj : object
            An object with a method ``serialize``.
        """
        mistakes.require(obj, 'serialize', TO_SERIALIZE)
        obj.serialize(self)
