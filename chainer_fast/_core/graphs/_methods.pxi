# Methods of classes that compiled code replaces. Part of graph.pyx.
#
# Compiled code computes what the methods of a class compute, and may run instead of
# them until a program replaces one, in the class or in an instance.


cdef class Methods:
    """Some methods of a class, as they are when this object is made.

    Parameters
    ----------
    cls : type
        The class.
    names : iterable of str
        Names of the methods.

    Attributes
    ----------
    cls : type
        The class.
    by_name : dict
        Methods by name.
    """

    def __init__(self, cls, names):
        self.cls = cls
        self.names = tuple(names)
        self.by_name = {name: getattr(cls, name) for name in self.names}
        self.version = 0

    cdef bint compare(self, object cls) except -1:
        """Return whether a class, ``self.cls`` or a derived one, has the methods."""
        for name, method in self.by_name.items():
            if getattr(cls, name) is not method:
                return False
        if cls is self.cls:
            # The look-ups have given the class a version.
            self.version = type_version(<PyTypeObject *>cls)
        return True

    cdef bint replaced_in(self, object fields) except -1:
        """Return whether attributes of an instance replace a method."""
        for name in self.names:
            if PyDict_GetItemWithError(fields, name) is not NULL:
                return True
        return False

    def held_by(self, instance):
        """Return whether an instance still has the methods.

        Parameters
        ----------
        instance : object
            Instance of the class, or of one derived from it.

        Returns
        -------
        bool
            False if a derived class overrides one, or if one was replaced.
        """
        cdef PyObject *fields = instance_dict(instance)
        if fields is not NULL and self.replaced_in(<object>fields):
            return False
        return self.unchanged() if type(instance) is self.cls else self.compare(
            type(instance))
