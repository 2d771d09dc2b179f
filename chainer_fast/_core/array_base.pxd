from chainer_fast._core.graph cimport VariableBase


cdef class ArrayBase:
    cdef object __weakref__
    cdef public VariableBase _v
    cdef public object _device
    cdef public object _ids         # of all graphs, if one is not the default
    cdef public object _required    # graphs whose gradient is kept
    cdef public object _grad        # around the variable's gradient


cpdef object wrap(VariableBase variable, object device, object ids=*)
cpdef object plain(object array, object device)
