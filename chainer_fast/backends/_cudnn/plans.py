"""Operations of cuDNN: their graphs, and the plans that carry them out.

A *graph* says what is computed from which tensors; a *plan* is an engine of cuDNN that
does it. Looking for one takes milliseconds, so plans are kept by operation, and so is
the answer that there is none.
"""
import warnings

import numpy

from chainer_fast.backends import _cudnn
from chainer_fast.backends._cudnn import layouts, library
from chainer_fast.backends._cupy import cupy
from chainer_fast.configuration import config

# Plans that a thread keeps for a device. A network has some hundred.
LIMIT = 1024

_TYPES = {'e': 'HALF', 'f': 'FLOAT', 'd': 'DOUBLE'}


class Graph:
    """A graph of cuDNN, with names for the tensors that come and go.

    Parameters
    ----------
    dtype : numpy.dtype
        Type of the tensors. Half floats are computed in single precision.
    last : bool
        Whether the tensors have their channels last in memory.
    **options
        Further arguments of ``cudnn.pygraph``, such as the handle.

    Attributes
    ----------
    native : cudnn.pygraph
        The graph itself, which has the operations.
    """

    def __init__(self, dtype, last, **options):
        self._types = library.frontend().data_type
        self._dtype, self._last = dtype, last
        compute = self._type(numpy.promote_types(dtype, 'f'))
        self.native = library.frontend().pygraph(
            io_data_type=self._type(dtype), intermediate_data_type=compute,
            compute_data_type=compute, **options)
        self._names = []

    def _type(self, dtype):
        return getattr(self._types, _TYPES[dtype.char])

    def _number(self, name):
        self._names.append(name)
        return len(self._names)

    def operand(self, name, shape, dtype=None):
        """Return a new tensor."""
        return self.native.tensor(
            name=name, dim=list(shape), stride=layouts.strides(shape, self._last),
            data_type=self._type(dtype or self._dtype), uid=self._number(name))

    def number(self, name, ndim):
        """Return a new tensor for a number, which is in host memory."""
        return self.native.tensor(
            name=name, dim=[1] * ndim, stride=[1] * ndim, is_pass_by_value=True,
            data_type=self._types.FLOAT, uid=self._number(name))

    def result(self, tensor, name, shape, dtype=None):
        """Give a tensor that the graph computes a name, and let it be written."""
        tensor.set_output(True).set_data_type(self._type(dtype or self._dtype))
        tensor.set_dim(list(shape)).set_stride(layouts.strides(shape, self._last))
        tensor.set_uid(self._number(name))

    def addresses(self, arrays):
        """Return the addresses of arrays by the numbers of their tensors."""
        return {number: _address(arrays[name])
                for number, name in enumerate(self._names, 1)}


def _address(array):
    return array.ctypes.data if type(array) is numpy.ndarray else array.data.ptr


class Plan:
    """A graph with the engine that computes it.

    Parameters
    ----------
    graph : Graph
        A graph whose operations have been described.
    options : tuple
        See :func:`_options`.

    Raises
    ------
    cudnn.cudnnGraphNotSupportedError
        If no engine can compute it.
    """

    def __init__(self, graph, options):
        frontend = library.frontend()
        deterministic, tensor_cores, self._limit, _ = options
        native = graph.native
        native.validate()
        native.build_operation_graph()
        native.create_execution_plans(
            [frontend.heur_mode.A, frontend.heur_mode.FALLBACK])
        notes = frontend.numerical_note
        unwanted = [notes.NONDETERMINISTIC] if deterministic else []
        if not tensor_cores:
            # The second rounds its operands even in single precision.
            unwanted += [notes.TENSOR_CORE, notes.DOWN_CONVERT_INPUTS]
        if unwanted:
            native.deselect_numeric_notes(unwanted)
        native.deselect_workspace_greater_than(self._limit)
        native.check_support()
        self._graph, self._index = graph, None

    def build(self):
        """Choose the engine that cuDNN thinks best."""
        self._graph.native.build_plans()
        self._size = self._graph.native.get_workspace_size()

    def tune(self, arrays, handle):
        """Choose the engine that takes the least time, which is measured."""
        native = self._graph.native
        refusals = RuntimeError, library.frontend().cudnnGraphNotSupportedError
        measured = []
        for index in range(native.get_execution_plan_count()):
            try:
                native.build_plan_at_index(index)
                size = native.get_workspace_size_plan_at_index(index)
            except refusals:
                continue
            if size <= self._limit:
                self._index, self._size = index, size
                measured.append((self._time(arrays, handle), index, size))
        if not measured:
            raise refusals[1]('no engine passed')
        _, self._index, self._size = min(measured)

    def _time(self, arrays, handle):
        self.run(arrays, handle)
        start, end = cupy.cuda.Event(), cupy.cuda.Event()
        start.record()
        for _ in range(3):
            self.run(arrays, handle)
        end.record()
        end.synchronize()
        return cupy.cuda.get_elapsed_time(start, end)

    def run(self, arrays, handle):
        """Compute with the arrays of these names, on the stream of the handle."""
        workspace = cupy.cuda.alloc(self._size) if self._size else None
        address = workspace.ptr if workspace is not None else 0
        addresses = self._graph.addresses(arrays)
        if self._index is None:
            self._graph.native.execute(addresses, address, handle=handle)
        else:
            self._graph.native.execute_plan_at_index(
                addresses, address, self._index, handle=handle)


def _options(dtype, tunable):
    """Return what decides on an engine beside the graph."""
    return (config.cudnn_deterministic, _cudnn.should_use_cudnn_tensor_core(dtype),
            _cudnn.get_max_workspace_size(), tunable and config.autotune)


def run(describe, facts, arrays, dtype, last, tunable=False):
    """Compute something with cuDNN.

    Parameters
    ----------
    describe : callable
        Function of the graph and the facts that adds the operations to the graph.
    facts : tuple
        Whatever decides on the graph: shapes, strides of windows and so on.
    arrays : dict
        Arrays of CuPy, and of NumPy for numbers, by the names of their tensors.
    dtype : numpy.dtype
        Type of the graph.
    last : bool
        Whether the channels are last in memory.
    tunable : bool
        Whether ``config.autotune`` applies. Several engines then write the results, so
        these must not be operands.

    Returns
    -------
    bool
        False if cuDNN has no engine for it. Nothing has been computed then.
    """
    session = library.session()
    options = _options(dtype, tunable)
    key = describe, facts, dtype, last, options
    if key in session.plans:
        plan = session.plans.pop(key)
    else:
        plan = _find(describe, facts, arrays, dtype, last, options, session.handle)
    session.plans[key] = plan               # the latest is last
    if len(session.plans) > LIMIT:
        del session.plans[next(iter(session.plans))]
    if plan is not None:
        plan.run(arrays, session.handle)
    return plan is not None


def _find(describe, facts, arrays, dtype, last, options, handle):
    graph = Graph(dtype, last, handle=handle)
    try:
        describe(graph, *facts)
        plan = Plan(graph, options)
        if options[-1]:
            plan.tune(arrays, handle)
        else:
            plan.build()
    except library.frontend().cudnnGraphNotSupportedError:
        return None
    except RuntimeError as e:
        # What a graph is refused with depends on the version. An installation that does
        # not work looks the same, and should not go unnoticed.
        warnings.warn('cuDNN refused %s of %s: %s' % (describe.__name__, facts, e))
        return None
    return plan
