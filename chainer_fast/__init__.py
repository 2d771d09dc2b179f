"""A drop-in for Chainer 7.8.1 with a compiled graph engine.

``import chainer_fast as chainer`` and go on as the Chainer manual says; programs that
cannot be edited run under ``python -m chainer_fast SCRIPT``.
"""
from chainer_fast import _version, alias
from chainer_fast._version import __version__
from chainer_fast.backends.arrays import (
    get_array_types,
    get_cpu_array_types,
    is_arrays_compatible,
)
from chainer_fast.backends.dtypes import _Mixed16, get_dtype, mixed16
from chainer_fast.configuration import (
    config,
    get_compute_mode,
    global_config,
    using_config,
)
from chainer_fast.configuration.debug import DebugMode, is_debug, set_debug

# The order matters from here: each module finds those below it loaded.
from chainer_fast import (  # noqa: E402, isort: skip
    _environment_check, _runtime_info, backends, backend, types, utils, warnings,
    initializer, initializers, device_resident, variable, function_node, function,
    function_hook, memory_layouts, functions, _backprop, _backprop_utils,
    computational_graph, link_hook, link, links, sequential, reporter, serializer,
    serializers, optimizer, optimizer_hooks, optimizers, function_hooks, dataset,
    datasets, iterators, training, graph_optimizations, cuda, distribution,
    distributions, link_hooks, exporters)
from chainer_fast._backprop import backward  # noqa: E402
from chainer_fast._core.state import get_function_hooks  # noqa: E402
from chainer_fast._runtime_info import print_runtime_info  # noqa: E402
from chainer_fast.backend import get_device, using_device  # noqa: E402
from chainer_fast.backends.cuda import (  # noqa: E402
    should_use_cudnn,
    should_use_cudnn_tensor_core,
)
from chainer_fast.device_resident import DeviceResident  # noqa: E402
from chainer_fast.distribution import (  # noqa: E402
    Distribution,
    cross_entropy,
    kl_divergence,
    register_kl,
)
from chainer_fast.function import (  # noqa: E402
    Function,
    FunctionAdapter,
    force_backprop_mode,
    no_backprop_mode,
)
from chainer_fast.function_hook import FunctionHook  # noqa: E402
from chainer_fast.function_node import (  # noqa: E402
    Fallback,
    FunctionNode,
    _FallbackType,
    grad,
)
from chainer_fast.functions import array  # noqa: E402
from chainer_fast.functions.math import basic_math  # noqa: E402
from chainer_fast.graph_optimizations.static_graph import static_graph  # noqa: E402
from chainer_fast.graph_optimizations.static_graph_utilities import (  # noqa: E402
    static_code,
)
from chainer_fast.initializer import Initializer  # noqa: E402
from chainer_fast.link import Chain, ChainList, Link  # noqa: E402
from chainer_fast.link_hook import LinkHook, _get_link_hooks  # noqa: E402
from chainer_fast.optimizer import GradientMethod, Optimizer, UpdateRule  # noqa: E402
from chainer_fast.reporter import (  # noqa: E402
    DictSummary,
    Reporter,
    Summary,
    get_current_reporter,
    report,
    report_scope,
)
from chainer_fast.sequential import Sequential  # noqa: E402
from chainer_fast.serializer import (  # noqa: E402
    AbstractSerializer,
    Deserializer,
    Serializer,
)
from chainer_fast.variable import (  # noqa: E402
    Parameter,
    Variable,
    as_array,
    as_variable,
)

basic_math.install_variable_arithmetics()
array.get_item.install_variable_get_item()

#: Set it to True to have no FutureWarning for experimental features.
disable_experimental_feature_warning = False


def load_ipython_extension(ipython):
    """Make ``import chainer`` mean this package: ``%load_ext chainer_fast``."""
    alias.install()


def unload_ipython_extension(ipython):
    """Undo ``%load_ext chainer_fast``."""
    alias.uninstall()
