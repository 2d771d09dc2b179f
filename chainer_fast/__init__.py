"""A drop-in for Chainer 7.8.1 with a compiled graph engine.

``import chainer_fast as chainer`` and go on as the Chainer manual says; programs that
cannot be edited run under ``python -m chainer_fast SCRIPT``.
"""
from __future__ import annotations

import importlib as _importlib
import os as _os
import typing as _typing
import typing as tp

from chainer_fast import (
    _backprop,
    _backprop_utils,
    _environment_check,
    _missing_names,
    _runtime_info,
    _version,
    alias,
    backend,
    backends,
    computational_graph,
    cuda,
    dataset,
    datasets,
    device_resident,
    distribution,
    distributions,
    exporters,
    function,
    function_hook,
    function_hooks,
    function_node,
    functions,
    graph_optimizations,
    initializer,
    initializers,
    iterators,
    link,
    link_hook,
    link_hooks,
    links,
    memory_layouts,
    optimizer,
    optimizer_hooks,
    optimizers,
    reporter,
    sequential,
    serializer,
    serializers,
    training,
    types,
    utils,
    variable,
    warnings,
)
from chainer_fast._backprop import backward
from chainer_fast._core import gil as _gil
from chainer_fast._core.state import get_function_hooks
from chainer_fast._runtime_info import print_runtime_info
from chainer_fast._version import __version__
from chainer_fast.backend import get_device, using_device
from chainer_fast.backends.arrays import (
    get_array_types,
    get_cpu_array_types,
    is_arrays_compatible,
)
from chainer_fast.backends.cuda import (
    should_use_cudnn,
    should_use_cudnn_tensor_core,
)
from chainer_fast.backends.dtypes import _Mixed16, get_dtype, mixed16
from chainer_fast.configuration import (
    config,
    get_compute_mode,
    global_config,
    using_config,
)
from chainer_fast.configuration.debug import DebugMode, is_debug, set_debug
from chainer_fast.device_resident import DeviceResident
from chainer_fast.distribution import (
    Distribution,
    cross_entropy,
    kl_divergence,
    register_kl,
)
from chainer_fast.function import (
    Function,
    FunctionAdapter,
    force_backprop_mode,
    no_backprop_mode,
)
from chainer_fast.function_hook import FunctionHook
from chainer_fast.function_node import (
    Fallback,
    FunctionNode,
    _FallbackType,
    grad,
)
from chainer_fast.functions import array
from chainer_fast.functions.math import basic_math
from chainer_fast.graph_optimizations.static_graph import static_graph
from chainer_fast.graph_optimizations.static_graph_utilities import (
    static_code,
)
from chainer_fast.initializer import Initializer
from chainer_fast.link import Chain, ChainList, Link
from chainer_fast.link_hook import LinkHook, _get_link_hooks
from chainer_fast.optimizer import GradientMethod, Optimizer, UpdateRule
from chainer_fast.reporter import (
    DictSummary,
    Reporter,
    Summary,
    get_current_reporter,
    report,
    report_scope,
)
from chainer_fast.sequential import Sequential
from chainer_fast.serializer import (
    AbstractSerializer,
    Deserializer,
    Serializer,
)
from chainer_fast.variable import (
    Parameter,
    Variable,
    as_array,
    as_variable,
    from_dlpack,
)

_gil.require()
basic_math.install_variable_arithmetics()
array.get_item.install_variable_get_item()
_missing_names.explain()

#: Set it to True to have no FutureWarning for experimental features.
disable_experimental_feature_warning = False


if _typing.TYPE_CHECKING:
    # The function below would keep type checkers from finding misspelt names.
    from chainer_fast import nnabla
else:
    def __getattr__(name: str) -> tp.Any:
        # Imported when asked for.
        if name == 'nnabla':
            return _importlib.import_module('chainer_fast.nnabla')
        raise _missing_names.error(__name__, name)


def load_ipython_extension(ipython: tp.Any) -> None:
    """Make ``import chainer`` mean this package: ``%load_ext chainer_fast``."""
    alias.install()


def unload_ipython_extension(ipython: tp.Any) -> None:
    """Undo ``%load_ext chainer_fast``."""
    alias.uninstall()


if 'CHAINER_FAST_LEGACY' in _os.environ:
    from chainer_fast import legacy
    legacy.enable_from_environment()
