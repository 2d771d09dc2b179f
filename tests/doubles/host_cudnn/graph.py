"""Graphs of the stand-in: tensors, operations, and the steps up to an execution."""
import ctypes
import functools
import pickle
import types
import weakref

import numpy

from tests.doubles.host_cudnn import compute
from tests.doubles.host_cupy import capture, ledger, memory

TYPES = {'HALF': 'e', 'FLOAT': 'f', 'DOUBLE': 'd'}
# Notes and bytes of workspace of the engines, as cuDNN would order them.
ENGINES = [
    ({'TENSOR_CORE', 'DOWN_CONVERT_INPUTS'}, 1 << 20),
    ({'WINOGRAD'}, 1 << 24),
    ({'NONDETERMINISTIC'}, 1 << 12),
    (set(), 0),
]
# Tensors are at multiples of so many bytes, unless a graph tells otherwise.
ALIGNMENT = 16
STEPS = ['describe', 'validate', 'build_operation_graph', 'create_execution_plans',
         'check_support', 'build_plans']


class NotSupported(Exception):
    """No engine takes the graph."""


class Tensor:
    """A tensor of a graph. Setters return it, so that calls can be chained."""

    def __init__(self, dim=None, stride=None, dtype=None, uid=None, by_value=False):
        self.dim, self.stride, self.dtype, self.uid = dim, stride, dtype, uid
        self.by_value, self.virtual = by_value, dim is None

    def set_output(self, value):
        self.virtual = not value
        return self

    def set_data_type(self, data_type):
        self.dtype = _dtype(data_type)
        return self

    def set_dim(self, dim):
        self.dim = _integers(dim)
        return self

    def set_stride(self, stride):
        self.stride = _integers(stride)
        return self

    def set_uid(self, uid):
        self.uid = uid
        return self


def _dtype(data_type):
    return numpy.dtype(TYPES[data_type.rpartition('.')[2]])


def _integers(numbers):
    if type(numbers) is not list or any([type(n) is not int for n in numbers]):
        raise TypeError('incompatible function arguments: %r' % (numbers,))
    return numbers


def _checked(method, forms):
    """Return a method that takes the parameters of one of the forms, and no others."""
    @functools.wraps(method)
    def call(self, *args, **kwargs):
        for form in forms:
            if len(args) <= len(form) and set(kwargs) <= set(form[len(args):]):
                return method(self, *args, **kwargs)
        raise TypeError('%s(): incompatible function arguments: %s, %s'
                        % (method.__name__, args, sorted(kwargs)))
    return call


def make(module, api):
    """Return the class of graphs for a module of a version."""
    methods = {}
    for name, forms in api['pygraph'].items():
        if name in compute.OPERATIONS:
            method = _operation(name)
        else:
            method = getattr(Graph, name)
        methods[name] = _checked(method, forms)
    base = Graph if module.addresses_handles else PythonGraph
    return type('pygraph', (base,), {**methods, 'module': module})


def _operation(name):
    def add(self, **arguments):
        self._step('describe')
        results = [Tensor() for _ in range(compute.OPERATIONS[name][1])]
        self.operations.append((name, arguments, results))
        return results[0] if len(results) == 1 else results
    add.__name__ = name
    return add


def _compute(plan, pack, workspace, numbers):
    plan()._compute(pack, workspace, numbers)


class Graph:
    """A graph that checks the order of its steps, and computes with NumPy."""

    def __init__(self, name='', io_data_type=None, intermediate_data_type=None,
                 compute_data_type='data_type.FLOAT', handle=None):
        self.module.handle_of(handle).graphs.add(self)
        self.compute_dtype = _dtype(compute_data_type)
        self.tensors, self.operations, self.order = [], [], []
        self.at, self.barred, self.limit, self.index = 'describe', set(), None, None
        self.read = False

    def _step(self, name, after=None):
        wanted = after or name
        if self.at != wanted:
            raise RuntimeError('%s after %s' % (name, self.at))
        if after:
            self.at = name

    def tensor(self, dim, stride, data_type, is_pass_by_value=False, name='', uid=-1):
        self._step('describe')
        found = Tensor(_integers(dim), _integers(stride), _dtype(data_type), uid,
                       is_pass_by_value)
        if len(dim) != len(stride):
            raise RuntimeError('dim %s with stride %s' % (dim, stride))
        self.tensors.append(found)
        return found

    def validate(self):
        self._step('validate', 'describe')
        for _, _, results in self.operations:
            self.tensors += [t for t in results if not t.virtual]
        uids = [t.uid for t in self.tensors]
        if len(set(uids)) != len(uids) or None in uids:
            raise RuntimeError('numbers of tensors: %s' % uids)
        for t in self.tensors:
            if not 4 <= len(t.dim) <= 5 or 0 in t.dim:
                raise RuntimeError('no tensors of cuDNN: %s' % t.dim)

    def build_operation_graph(self):
        self._step('build_operation_graph', 'validate')

    def create_execution_plans(self, modes, /):
        self._step('create_execution_plans', 'build_operation_graph')
        assert all([mode.startswith('heur_mode.') for mode in modes])
        self.module.planned += 1
        if {name for name, *_ in self.operations} & self.module.refused:
            raise NotSupported('no engine proposed a plan for this graph')

    def deselect_numeric_notes(self, notes, /):
        self._step('create_execution_plans')
        self.barred |= {note.rpartition('.')[2] for note in notes}

    def deselect_workspace_greater_than(self, limit, /):
        self._step('create_execution_plans')
        self.limit = limit

    def _takes(self, index):
        notes, size = ENGINES[index]
        return not notes & self.barred and (self.limit is None or size <= self.limit)

    def check_support(self):
        self._step('check_support', 'create_execution_plans')
        if not any([self._takes(i) for i in range(len(ENGINES))]):
            raise NotSupported('No valid engine configs')

    def build_plans(self, policy=None):
        self._step('build_plans', 'check_support')
        self.index = [self._takes(i) for i in range(len(ENGINES))].index(True)

    def serialize(self):
        self._step('build_plans')
        return list(pickle.dumps((
            self.module.backend_version(), self.tensors, self.operations,
            self.compute_dtype, self.index)))

    def deserialize(self, handle_, pyobj):
        self._step('build_plans', 'describe')
        self.module.handle_of(handle_)
        self.read = True
        version, self.tensors, self.operations, self.compute_dtype, self.index = (
            pickle.loads(bytes(_integers(pyobj))))
        if version != self.module.backend_version():
            raise RuntimeError('CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH')

    def get_execution_plan_count(self):
        return len(ENGINES)

    def build_plan_at_index(self, index):
        if self.at not in ('check_support', 'build_plans'):
            raise RuntimeError('build_plan_at_index after %s' % self.at)
        if not self._takes(index):
            raise NotSupported('plan %d is barred' % index)
        self.at, self.index = 'build_plans', index

    def get_workspace_size(self):
        self._step('build_plans')
        return ENGINES[self.index][1]

    def get_workspace_size_plan_at_index(self, index):
        self._step('build_plans')
        return ENGINES[index][1]

    def execute(self, pack, workspace, handle=None):
        self._run(pack, workspace, handle)

    def _run(self, pack, workspace, handle):
        self._step('build_plans')
        if set(pack) != {t.uid for t in self.tensors}:
            raise RuntimeError('the variant pack has %s' % sorted(pack))
        for place in [
                workspace, *[pack[t.uid] for t in self.tensors if not t.by_value]]:
            if place % ALIGNMENT:
                raise RuntimeError('CUDA_ERROR_MISALIGNED_ADDRESS: %#x' % place)
        names = [name for name, *_ in self.operations]
        stream = self.module.handle_of(handle).stream
        self.module.ran.append((self.index, names, stream))
        # Numbers are read now, whatever becomes of them before a graph is launched.
        numbers = {id(t): self._read(t, pack[t.uid])
                   for t in self.tensors if t.by_value}
        captured = capture.current()
        if captured is not None:
            # A method of the graph would keep it.
            captured.note(
                _compute, (weakref.ref(self), pack, workspace, numbers),
                [workspace, *pack.values()], self)
            return
        ledger.launch('cudnn ' + ' '.join(names))
        self._compute(pack, workspace, numbers)

    def _prepare_variant_pack_template(self):
        self._step('build_plans')
        self.order = sorted([t.uid for t in self.tensors])

    def _get_variant_pack_uids_sorted(self):
        return self.order

    def _execute_with_raw_ptrs(self, user_ptrs_array, n_user, workspace, handle):
        if n_user != len(self.order):
            raise RuntimeError('%d addresses for tensors %s' % (n_user, self.order))
        addresses = (ctypes.c_size_t * n_user).from_address(user_ptrs_array)
        self._run(dict(zip(self.order, addresses, strict=True)), workspace, handle)

    def _compute(self, pack, workspace, numbers):
        size = ENGINES[self.index][1]
        if size:
            ctypes.memset(workspace, 0xff, size)
        values = {id(t): self._read(t, pack[t.uid])
                  for t in self.tensors if not t.by_value}
        values.update(numbers)
        for name, arguments, results in self.operations:
            function, _ = compute.OPERATIONS[name]
            operands = {
                key: values[id(value)] if isinstance(value, Tensor) else value
                for key, value in arguments.items()}
            shapes = [t.dim for t in results]
            found = function(shapes[0], **operands)
            for t, value in zip(
                    results, found if len(results) > 1 else [found], strict=True):
                if t.virtual:
                    values[id(t)] = value
                    continue
                target = self._memory(t, pack[t.uid])
                assert target.shape == value.shape, (name, target.shape, value.shape)
                with numpy.errstate(over='ignore'):
                    target[...] = value

    def _read(self, t, address):
        return self._memory(t, address).astype(self.compute_dtype)

    def _memory(self, t, address):
        return memory.at(address, t.dtype, t.dim, t.stride)


class PythonGraph(Graph):
    """A graph of Python, as of version 1.27, which has one that is compiled.

    The engines have other numbers there, as if the first had been left out.
    """

    selected_engine = None

    @property
    def _plans(self):
        return ENGINES if self.at == 'build_plans' and not self.read else []

    @property
    def _plan_index(self):
        return self.index

    def _materialize_backend_plan(self, index):
        return types.SimpleNamespace(cpp_index=index + 1)

    @property
    def _lowered_graph(self):
        return CompiledGraph(self)


class CompiledGraph:
    """The compiled graph that a graph of Python has."""

    def __init__(self, graph):
        self._graph = graph

    def _prepare_variant_pack_template(self):
        self._graph._prepare_variant_pack_template()

    def _get_variant_pack_uids_sorted(self):
        return self._graph._get_variant_pack_uids_sorted()

    def _execute_with_raw_ptrs(
            self, user_ptrs_array, n_user, workspace, handle, plan_index=-1):
        """Execute: int, n_user, workspace, handle, plan_index: int = -1."""
        graph = self._graph
        if plan_index != (-1 if graph.read else graph.index + 1):
            raise RuntimeError('plan %d has not been built' % plan_index)
        graph._execute_with_raw_ptrs(
            user_ptrs_array, n_user, workspace,
            graph.module.handle_at(handle))
