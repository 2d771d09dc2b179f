"""Gradients of parameters, and what hooks make of them."""
from chainer_fast._core.floats cimport Operation
from chainer_fast._core.graph cimport VariableBase
from chainer_fast._core.recipe cimport HookRecipe, Step


cdef VariableBase plain_of(object param)
cdef bint has_gradient(VariableBase variable) except -1
cdef int report(Operation operation=*) except -1
cdef bint prepare_unscale(object loss_scale, int kind, Step *step) except -1
cdef HookRecipe recipe_of_hook(object hook)
cdef bint prepare_hook(
    HookRecipe recipe, object hook, object loss_scale, int kind, Step *step) except -1
