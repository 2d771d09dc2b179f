cimport cython
from cpython.object cimport PyTypeObject

from chainer_fast._core.private cimport type_version


@cython.final
cdef class Methods:
    cdef readonly object cls
    cdef readonly dict by_name
    cdef tuple names                # its keys, which are walked through more quickly
    cdef unsigned int version       # of the class, when it was last compared
    cdef bint compare(self, object cls) except -1
    cdef bint replaced_in(self, object fields) except -1

    cdef inline bint unchanged(self) except -1:
        """Tell whether the class still has the methods; cheap if it has not changed."""
        cdef unsigned int version = type_version(<PyTypeObject *>self.cls)
        return (version != 0 and version == self.version) or self.compare(self.cls)
