"""Recipes of hooks, and of other changes of all gradients."""
from chainer_fast._core.recipe cimport HookRecipe, Loop

cdef extern from "chainer_fast/backends/kernels/update_rules/loops.hpp" nogil:
    const Loop *WEIGHT_DECAY_LOOPS "chainer_fast::hook_loops<chainer_fast::WeightDecay>"
    const Loop *LASSO_LOOPS "chainer_fast::hook_loops<chainer_fast::Lasso>"
    const Loop *HARD_CLIPPING_LOOPS \
        "chainer_fast::hook_loops<chainer_fast::HardClipping>"
    const Loop *SCALE_LOOPS "chainer_fast::hook_loops<chainer_fast::Scale>"
    const Loop *UNSCALE_LOOPS "chainer_fast::hook_loops<chainer_fast::Unscale>"


cdef class WeightDecayRecipe(HookRecipe):

    def __cinit__(self):
        self.attributes = ('rate',)
        self.scaled = True
        self.loops = WEIGHT_DECAY_LOOPS
        self.name = b'Change<WeightDecay>'
        self.n_coefficients = 1


cdef class LassoRecipe(HookRecipe):

    def __cinit__(self):
        self.attributes = ('rate',)
        self.loops = LASSO_LOOPS
        self.name = b'Change<Lasso>'
        self.n_coefficients = 1


cdef class HardClippingRecipe(HookRecipe):

    def __cinit__(self):
        self.attributes = ('lower_bound', 'upper_bound')
        self.loops = HARD_CLIPPING_LOOPS
        self.name = b'Change<HardClipping>'
        self.n_coefficients = 2


cdef class LARSRecipe(HookRecipe):
    """Layer-wise scaling, which has no loop for the processor."""

    def __cinit__(self):
        self.attributes = ('threshold', 'weight_decay', 'eps')
        self.name = b'Change<LARS>'
        self.n_coefficients = 3


cdef class ScaleRecipe(HookRecipe):
    """Multiplication by a factor."""

    def __cinit__(self):
        self.loops = SCALE_LOOPS
        self.name = b'Change<Scale>'
        self.n_coefficients = 1


cdef class UnscaleRecipe(HookRecipe):
    """Division by a loss scale."""

    def __cinit__(self):
        self.loops = UNSCALE_LOOPS
        self.name = b'Change<Unscale>'
        self.n_coefficients = 1
