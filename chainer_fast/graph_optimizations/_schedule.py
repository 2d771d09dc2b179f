"""Recordings of static chains: steps, and the arrays passed between them."""
from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from chainer_fast import function, function_node
from chainer_fast.backends.arrays import get_array_types
from chainer_fast.configuration import using_config
from chainer_fast.graph_optimizations._nested import flatten
from chainer_fast.graph_optimizations._schedule_parts import (
    ArrayInfo,
    ScheduleInfo,
    as_tuple,
)
from chainer_fast.types import NdArray
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray

if TYPE_CHECKING:
    from chainer_fast.graph_optimizations.static_graph import ScheduleManager
    from chainer_fast.link import Chain


_Result = TypeVar('_Result')


class StaticScheduleFunction(function_node.FunctionNode):
    """Recording of one call of a static chain.

    ``forward`` repeats the recorded steps on new arrays, with the current parameters of
    the chain.

    Parameters
    ----------
    schedule_manager : ScheduleManager
        The manager that keeps the schedule.
    verbosity_level : int
        If 1 or more, a line is printed for each recording.
    enable_double_backprop : bool
        Whether gradients through the schedule should be differentiable.
    """

    def __init__(
            self, schedule_manager: ScheduleManager | None, verbosity_level: int = 0,
            enable_double_backprop: bool = False) -> None:
        self._manager = None if schedule_manager is None else weakref.ref(
            schedule_manager)
        self.verbosity_level: int = verbosity_level
        self.enable_double_backprop: bool = enable_double_backprop
        self.schedule_info_list: list[Any] = []
        self.unique_arrays: list[Any] = []
        self.array_infos: list[Any] = []
        self._index_of = {}
        self._made = set()
        self._params = []
        self._in_indexes = []
        self._out_indexes = []
        #: The functions of the call that is being recorded, and None afterwards.
        self.trace: Any = None
        #: Runs the chain on variables; `static_graph` sets it.
        self._rerun = None

    def __reduce__(self) -> tuple[Any, ...]:
        # A copy of the chain makes a new recording: these arrays belong to the
        # original.
        return StaticScheduleFunction, (
            None, self.verbosity_level, self.enable_double_backprop)

    @property
    def schedule_manager(self):
        """The manager that keeps the schedule."""
        return None if self._manager is None else self._manager()

    # -- the table of arrays

    def get_unique_index_from_array(self, array: NdArray):
        """Return the position of an array in the table, or ``None``."""
        return self._index_of.get(id(array))

    def _index(self, array):
        index = self._index_of.get(id(array))
        if index is None:
            index = self._index_of[id(array)] = len(self.unique_arrays)
            self.unique_arrays.append(array)
            self.array_infos.append(ArrayInfo(array))
        return index

    def _hooks(self, arrays):
        return [(at, self._index(x)) for at, x in enumerate(arrays)
                if isinstance(x, get_array_types())]

    # -- recording

    def is_empty(self) -> bool:
        """Return whether nothing is recorded."""
        return not self.schedule_info_list

    def get_contained_schedule(self):
        """Return the recorded steps, a list of :class:`ScheduleInfo`."""
        return self.schedule_info_list

    def append_function(
            self, func: Callable[..., _Result], args: tuple[Any, ...],
            kwargs: dict[Any, Any], func_name: str | None = None) -> _Result:
        """Call a function, and record the call as the next step.

        Parameters
        ----------
        func : callable
        args : tuple
        kwargs : dict
        func_name : str, optional

        Returns
        -------
        object
            Result of ``func(*args, **kwargs)``.
        """
        kwargs = {name: list(value) if name in ('inputs', 'outputs') else value
                  for name, value in kwargs.items()}
        inputs_hooks = self._hooks(kwargs.get('inputs', ()))
        outputs_hooks = self._hooks(kwargs.get('outputs', ()))
        # Functions called by this one are part of this step.
        with using_config('schedule_func', None):
            returned = func(*args, **kwargs)
        return_hooks = self._hooks(as_tuple(returned))
        self._made.update([index for _, index in outputs_hooks + return_hooks])
        self.schedule_info_list.append(ScheduleInfo(
            func, args, kwargs, inputs_hooks, outputs_hooks, return_hooks, [],
            self.unique_arrays, self.array_infos, func_name))
        return returned

    def set_out_variables(self, out_vars) -> None:
        """Record the variables returned by the chain, in order."""
        self._out_indexes = [self._index(var.raw_array) for var in out_vars]

    def build_schedule(
            self, chain: Chain, in_vars: Sequence[VariableOrArray]) -> None:
        """End the recording.

        From now on the schedule holds no arrays made by a call, only constants, and the
        parameters of ``chain`` through the chain itself.

        Parameters
        ----------
        chain : Chain
        in_vars : sequence of Variable or array
            The inputs of the recorded call.
        """
        self._in_indexes = [
            self._index(getattr(x, 'raw_array', x)) for x in in_vars]
        self._params = [
            (weakref.ref(param), self._index_of[id(param.raw_array)])
            for param in chain.params() if id(param.raw_array) in self._index_of]
        last_use = {}
        for step, info in enumerate(self.schedule_info_list):
            for _, index in info.inputs_hooks + info.outputs_hooks + info.return_hooks:
                last_use[index] = step
            info.forget_arrays()
        for index, step in last_use.items():
            if index in self._made and index not in self._out_indexes:
                self.schedule_info_list[step].delete_hooks.append(index)
        self._index_of.clear()
        self._let_go()

    def _let_go(self):
        """Drop all arrays but constants from the table."""
        for index in {*self._made, *self._in_indexes, *[i for _, i in self._params]}:
            self.unique_arrays[index] = None

    # -- repeating

    def run_in_var_hooks(self, input_var_arrays) -> None:
        """Store the inputs of a call in the table."""
        for index, array in zip(self._in_indexes, input_var_arrays, strict=True):
            self.unique_arrays[index] = array

    def run_param_pre_hooks(self) -> None:
        """Store the arrays of the parameters in the table."""
        for reference, index in self._params:
            self.unique_arrays[index] = reference().raw_array

    def run_param_post_hooks(self) -> None:
        """Remove the arrays of the parameters and all remaining ones from the table."""
        self._let_go()

    def run_out_var_hooks(self):
        """Return the outputs of a call, a tuple of arrays."""
        return tuple([self.unique_arrays[index] for index in self._out_indexes])

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs(tuple(range(len(inputs))))
        self.run_in_var_hooks(inputs)
        self.run_param_pre_hooks()
        for info in self.schedule_info_list:
            info()
        outputs = self.run_out_var_hooks()
        self.run_param_post_hooks()
        return outputs

    def backward(
            self, target_input_indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        """Run the chain again to build its graph, and backpropagate through it.

        Gradients of parameters are added to the parameters.
        """
        if self._rerun is None:
            raise RuntimeError(
                'a schedule that static_graph() did not record has no gradient')
        inputs = self.get_retained_inputs()
        with function.force_backprop_mode(), using_config('schedule_func', None):
            outputs = flatten(self._rerun(inputs))
        params = [reference() for reference, _ in self._params]
        wanted = [inputs[i] for i in target_input_indexes]
        grads = function_node.grad(
            outputs, wanted + params, grad_outputs,
            enable_double_backprop=self.enable_double_backprop)
        for param, grad in zip(params, grads[len(wanted):], strict=True):
            if grad is not None:
                old = param.grad_var
                param.grad_var = grad if old is None else old + grad
        return tuple(grads[:len(wanted)])

    # -- inspection

    def debug_print_ref_counts(self) -> None:
        """Print which arrays of the table exist at the moment."""
        for index, array in enumerate(self.unique_arrays):
            print(index, 'none' if array is None else 'held')

    def debug_print_unique_arrays_info(self) -> None:
        """Print the properties of the arrays in the table."""
        for index, info in enumerate(self.array_infos):
            print(index, info)

    def __repr__(self) -> str:
        return '\n'.join([
            '<%s of %d steps on %d arrays>' % (
                type(self).__name__, len(self.schedule_info_list),
                len(self.unique_arrays)),
            *['  %r' % info for info in self.schedule_info_list]])
