"""A frontend of cuDNN without an engine: graphs plan and execute at once.

An execution is noted by the names of its operations. The frontend itself takes half a
microsecond for one.
"""
import types

from benchmarks.host.ledger import launch

# Operations, and how many tensors they return.
_OPERATIONS = {'conv_fprop': 1, 'conv_dgrad': 1, 'conv_wgrad': 1, 'bias': 1,
               'batchnorm': 5, 'batchnorm_backward': 3}


class NotSupported(Exception):
    """No engine takes a graph."""


class Tensor:

    def __init__(self, graph):
        self._graph = graph

    def _chained(self, value):
        return self

    set_output = set_data_type = set_dim = set_stride = _chained

    def set_uid(self, uid):
        self._graph._count += 1
        return self


class pygraph:

    selected_engine, _plans = None, ()

    def __init__(self, **options):
        self._name, self._count = 'cudnn', 0
        self._lowered_graph = self

    def tensor(self, **options):
        self._count += 1
        return Tensor(self)

    def _nothing(self, *args):
        pass

    validate = build_operation_graph = create_execution_plans = check_support = _nothing
    deselect_numeric_notes = deselect_workspace_greater_than = _nothing
    build_plans = build_plan_at_index = _prepare_variant_pack_template = _nothing

    def get_execution_plan_count(self):
        return 1

    def get_workspace_size(self, *index):
        return 1 << 20

    get_workspace_size_plan_at_index = get_workspace_size

    def _get_variant_pack_uids_sorted(self):
        return list(range(1, self._count + 1))

    def _execute_with_raw_ptrs(self, addresses, n, workspace, handle, plan_index=-1):
        launch(self._name)

    def execute(self, pack, workspace, handle=None):
        launch(self._name)

    def execute_plan_at_index(self, pack, workspace, index, handle=None):
        launch(self._name)


def _operation(name, count):
    def describe(self, **arguments):
        self._name += ' ' + name
        return Tensor(self) if count == 1 else [Tensor(self) for _ in range(count)]
    return describe


for _name, _count in _OPERATIONS.items():
    setattr(pygraph, _name, _operation(_name, _count))


def make():
    """Return the module."""
    module = types.ModuleType('cudnn')
    module.__version__ = '1.28.0'
    module.backend_version = lambda: 92800
    module.create_handle = object
    module.set_stream = lambda handle, stream: None
    module.cudnnGraphNotSupportedError = NotSupported
    module.pygraph = pygraph
    for name, members in {
            'data_type': ('HALF', 'FLOAT', 'DOUBLE'), 'heur_mode': ('A', 'FALLBACK'),
            'numerical_note': (
                'NONDETERMINISTIC', 'TENSOR_CORE', 'DOWN_CONVERT_INPUTS'),
    }.items():
        setattr(module, name, types.SimpleNamespace(
            **{member: '%s.%s' % (name, member) for member in members}))
    return module
