"""The walk over parameters, for what updates them."""

cdef list params_of(object link, bint include_uninit)
