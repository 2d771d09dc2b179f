"""Recordings of static chains: steps, and the arrays passed between them."""
from __future__ import annotations

import functools
import typing as tp
import weakref

from chainer_fast import function, function_node
from chainer_fast._backend import Device
from chainer_fast.backends import cuda
from chainer_fast.backends.arrays import get_array_types
from chainer_fast.configuration import using_config
from chainer_fast.types import DTypeSpec, GradOutputs, NdArray, VariableOrArray

if tp.TYPE_CHECKING:
    from chainer_fast.backends.cuda import DummyDeviceType
    from chainer_fast.graph_optimizations.static_graph import ScheduleManager
    from chainer_fast.link import Chain
    from chainer_fast.variable import Variable


class ArrayInfo:
    """Properties of an array, without a reference that keeps it alive.

    Parameters
    ----------
    array : array

    Attributes
    ----------
    weak_ref : weakref.ref
    id : int
    shape : tuple of int
    dtype : numpy.dtype
    device : cupy.cuda.Device or DummyDeviceType
    """

    def __init__(self, array: NdArray) -> None:
        self.weak_ref: tp.Any = weakref.ref(array)
        self.id: int = id(array)
        self.shape: tuple[int, ...] = array.shape
        self.dtype: DTypeSpec = array.dtype
        self.device: Device | DummyDeviceType = cuda.get_device_from_array(array)
        self._xp = cuda.get_array_module(array)

    def was_deleted(self) -> bool:
        """Return whether the array no longer exists."""
        return self.weak_ref() is None

    def get_new_empty_array(self):
        """Return a new array of the same shape and dtype, on the same device."""
        with self.device:
            return self._xp.empty(self.shape, self.dtype)

    def __repr__(self) -> str:
        return '<%s %s %s>' % (type(self).__name__, self.shape, self.dtype)


class ScheduleInfo:
    """Step of a schedule: a function, and the positions of its arrays in a table.

    Parameters
    ----------
    func : callable
    args : tuple
        Positional arguments.
    kwargs : dict
        Keyword arguments. The lists ``inputs`` and ``outputs`` in it are filled from
        the table before a call.
    inputs_hooks, outputs_hooks : list of tuple of (int, int)
        Positions in the list, and in the table.
    return_hooks : list of tuple of (int, int)
        Positions in the function's result, and in the table.
    delete_hooks : list of int
        Positions in the table that no later step needs.
    unique_arrays : list of arrays
        The table, with ``None`` for arrays that are missing at the moment.
    array_infos : list of ArrayInfo
        Properties of the arrays in the table.
    func_name : str, optional
    """

    def __init__(
            self, func: tp.Callable[..., tp.Any], args: tuple[tp.Any, ...],
            kwargs: dict[tp.Any, tp.Any],
            inputs_hooks: list[tp.Any],
            outputs_hooks: list[tp.Any],
            return_hooks: list[tp.Any],
            delete_hooks: tp.Any, unique_arrays: list[tp.Any],
            array_infos: list[ArrayInfo], func_name: str | None = None) -> None:
        self.func_name: str = func_name or getattr(func, '__name__', None) or repr(func)
        self._table, self._infos = unique_arrays, array_infos
        self._call = functools.partial(func, *args, **kwargs)
        self._filled = {'inputs': inputs_hooks, 'outputs': outputs_hooks}
        self.return_hooks, self.delete_hooks = return_hooks, delete_hooks

    @property
    def inputs_hooks(self):
        """Positions of the inputs, in the list and in the table."""
        return self._filled['inputs']

    @property
    def outputs_hooks(self):
        """Positions of the arrays written to, in the list and in the table."""
        return self._filled['outputs']

    def run_pre_hooks(self) -> None:
        """Fill the lists ``inputs`` and ``outputs`` from the table."""
        for _, index in self.outputs_hooks:
            if self._table[index] is None:
                self._table[index] = self._infos[index].get_new_empty_array()
        for name, hooks in self._filled.items():
            for at, index in hooks:
                self._call.keywords[name][at] = self._table[index]

    def run_post_hooks(self, return_arrays) -> None:
        """Put the results into the table, and release arrays no longer needed."""
        for at, index in self.return_hooks:
            self._table[index] = return_arrays[at]
        for index in self.delete_hooks:
            self._table[index] = None
        self.forget_arrays()

    def forget_arrays(self) -> None:
        """Empty the lists ``inputs`` and ``outputs``."""
        for name, hooks in self._filled.items():
            for at, _ in hooks:
                self._call.keywords[name][at] = None

    def __call__(self) -> None:
        self.run_pre_hooks()
        self.run_post_hooks(_as_tuple(self._call()))

    def __repr__(self) -> str:
        return '%s: %s -> %s' % (
            self.func_name, [index for _, index in self.inputs_hooks],
            [index for _, index in self.return_hooks])


class StaticScheduleFunction(function_node.FunctionNode):
    """Recording of one call of a static chain.

    ``forward`` repeats the recorded steps on new arrays, with the parameters that the
    chain has now.

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
        self.schedule_info_list: list[tp.Any] = []
        self.unique_arrays: list[tp.Any] = []
        self.array_infos: list[tp.Any] = []
        self._index_of = {}
        self._made = set()
        self._params = []
        self._in_indexes = []
        self._out_indexes = []
        #: The functions of the call that is being recorded, and None afterwards.
        self.trace: tp.Any = None
        #: Runs the chain on variables; `static_graph` sets it.
        self._rerun = None

    def __reduce__(self) -> tp.Any:
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
            self, func: tp.Callable[..., tp.Any], args: tuple[tp.Any, ...],
            kwargs: dict[tp.Any, tp.Any], func_name: str | None = None) -> tp.Any:
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
        return_hooks = self._hooks(_as_tuple(returned))
        self._made.update([index for _, index in outputs_hooks + return_hooks])
        self.schedule_info_list.append(ScheduleInfo(
            func, args, kwargs, inputs_hooks, outputs_hooks, return_hooks, [],
            self.unique_arrays, self.array_infos, func_name))
        return returned

    def set_out_variables(self, out_vars) -> None:
        """Note the variables returned by the chain, in their order."""
        self._out_indexes = [self._index(var.raw_array) for var in out_vars]

    def build_schedule(
            self, chain: Chain, in_vars: tp.Sequence[VariableOrArray]) -> None:
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
        """Put the inputs of a call into the table."""
        for index, array in zip(self._in_indexes, input_var_arrays, strict=True):
            self.unique_arrays[index] = array

    def run_param_pre_hooks(self) -> None:
        """Put the arrays of the parameters into the table."""
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
        """Run the chain again to make its graph, and backpropagate through it.

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


def _as_tuple(returned):
    if returned is None:
        return ()
    return returned if isinstance(returned, tuple) else (returned,)


def flatten(xs):
    """Return the elements of nested lists and tuples as one list."""
    if not isinstance(xs, (list, tuple)):
        return [xs]
    return [leaf for x in xs for leaf in flatten(x)]
