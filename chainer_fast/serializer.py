"""What everything that saves and loads objects has in common."""


class AbstractSerializer:
    """Base class of serializers and deserializers.

    A serializer visits an object whose method ``serialize(serializer)`` calls it once
    for each value, as ``value = serializer(key, value)``. One that saves returns the
    value as it is; one that loads returns what was saved.
    """

    def __call__(self, key, value):
        """Save or load one value.

        Parameters
        ----------
        key : str
            Name of the value.
        value : scalar, numpy.ndarray, cupy.ndarray or None
            The value to save, or the present value. A deserializer fills an array in
            place; None lets it return what it finds as a new array.

        Returns
        -------
        The value itself when saving, the loaded one when loading.
        """
        raise NotImplementedError

    def __getitem__(self, key):
        """Return the serializer of a child object.

        Parameters
        ----------
        key : str
            Name of the child.

        Returns
        -------
        AbstractSerializer
            Serializer whose keys lie below the name.
        """
        raise NotImplementedError


class Deserializer(AbstractSerializer):
    """Base class of what loads objects."""

    def load(self, obj):
        """Load into an object by its ``serialize`` method."""
        obj.serialize(self)


class Serializer(AbstractSerializer):
    """Base class of what saves objects."""

    def save(self, obj):
        """Save an object by its ``serialize`` method."""
        obj.serialize(self)
