"""A drop-in for Chainer 7.8.1 with a compiled graph engine.

Replace ``import chainer`` by ``import chainer_fast as chainer`` and follow the Chainer
manual. Programs that cannot be edited run under ``python -m chainer_fast SCRIPT``.
"""
from __future__ import annotations

import importlib as _importlib
import os as _os
import sys as _sys
import typing as _typing

from chainer_fast import (
    _backprop,
    _backprop_utils,
    _environment_check,
    _runtime_info,
    _version,
    alias as alias,
    backend as backend,
    backends as backends,
    computational_graph as computational_graph,
    configuration as configuration,
    cuda as cuda,
    dataset as dataset,
    datasets as datasets,
    device_resident as device_resident,
    distribution as distribution,
    distributions as distributions,
    exporters as exporters,
    function as function,
    function_hook as function_hook,
    function_hooks as function_hooks,
    function_node as function_node,
    functions as functions,
    graph_optimizations as graph_optimizations,
    initializer as initializer,
    initializers as initializers,
    iterators as iterators,
    link as link,
    link_hook as link_hook,
    link_hooks as link_hooks,
    links as links,
    memory_layouts as memory_layouts,
    optimizer as optimizer,
    optimizer_hooks as optimizer_hooks,
    optimizers as optimizers,
    reporter as reporter,
    sequential as sequential,
    serializer as serializer,
    serializers as serializers,
    training as training,
    types as types,
    utils as utils,
    variable as variable,
    warnings as warnings,
)
from chainer_fast._backprop import backward as backward
from chainer_fast._core.configuration import gil as _gil
from chainer_fast._core import kinds as _kinds
from chainer_fast._cpu import shared as _shared
from chainer_fast._core.configuration.state import (
    get_function_hooks as get_function_hooks,
)
from chainer_fast._help.past import missing_names as _missing_names
from chainer_fast._help.summary import summary as summary
from chainer_fast._runtime_info import print_runtime_info as print_runtime_info
from chainer_fast._version import __version__ as __version__
from chainer_fast.backend import get_device as get_device, using_device as using_device
from chainer_fast.backends.arrays import (
    get_array_types as get_array_types,
    get_cpu_array_types as get_cpu_array_types,
    is_arrays_compatible as is_arrays_compatible,
)
from chainer_fast.backends.cuda import (
    should_use_cudnn as should_use_cudnn,
    should_use_cudnn_tensor_core as should_use_cudnn_tensor_core,
)
from chainer_fast.backends.dtypes import (
    _Mixed16,
    get_dtype as get_dtype,
    mixed16 as mixed16,
)
from chainer_fast.configuration import (
    config as config,
    get_compute_mode as get_compute_mode,
    global_config as global_config,
    using_config as using_config,
)
from chainer_fast.configuration.debug import (
    DebugMode as DebugMode,
    is_debug as is_debug,
    set_debug as set_debug,
)
from chainer_fast.configuration.denormals import (
    set_flush_denormal as set_flush_denormal,
)
from chainer_fast.device_resident import DeviceResident as DeviceResident
from chainer_fast.distribution import (
    Distribution as Distribution,
    cross_entropy as cross_entropy,
    kl_divergence as kl_divergence,
    register_kl as register_kl,
)
from chainer_fast.function import (
    Function as Function,
    FunctionAdapter as FunctionAdapter,
    force_backprop_mode as force_backprop_mode,
    no_backprop_mode as no_backprop_mode,
)
from chainer_fast.function_hook import FunctionHook as FunctionHook
from chainer_fast.function_node import (
    Fallback as Fallback,
    FunctionNode as FunctionNode,
    _FallbackType,
    grad as grad,
)
from chainer_fast.functions import array as array
from chainer_fast.functions.math import basic_math as basic_math
from chainer_fast.graph_optimizations.static_graph import static_graph as static_graph
from chainer_fast.graph_optimizations.static_graph_utilities import (
    static_code as static_code,
)
from chainer_fast.initializer import Initializer as Initializer
from chainer_fast.link import Chain as Chain, ChainList as ChainList, Link as Link
from chainer_fast.link_hook import LinkHook as LinkHook, _get_link_hooks
from chainer_fast.optimizer import (
    GradientMethod as GradientMethod,
    Optimizer as Optimizer,
    UpdateRule as UpdateRule,
)
from chainer_fast.reporter import (
    DictSummary as DictSummary,
    Reporter as Reporter,
    Summary as Summary,
    get_current_reporter as get_current_reporter,
    report as report,
    report_scope as report_scope,
)
from chainer_fast.sequential import Sequential as Sequential
from chainer_fast.serializer import (
    AbstractSerializer as AbstractSerializer,
    Deserializer as Deserializer,
    Serializer as Serializer,
)
from chainer_fast.utils.experimental import bind as _bind_experimental
from chainer_fast.variable import (
    Parameter as Parameter,
    Variable as Variable,
    as_array as as_array,
    as_variable as as_variable,
    from_dlpack as from_dlpack,
)

_gil.require()
basic_math.install_variable_arithmetics()
array.get_item.install_variable_get_item()
_missing_names.explain()

#: Set it to True to turn off the FutureWarning for experimental features.
disable_experimental_feature_warning = False
_bind_experimental(_sys.modules[__name__])


if _typing.TYPE_CHECKING:
    # With the function below, type checkers would not find misspelt names.
    from chainer_fast import chainerx, nnabla, testing
else:
    def __getattr__(name: str) -> object:
        # Imported on first access. Chainer's gradient_check imports testing.
        if name in ('nnabla', 'chainerx', 'testing'):
            return _importlib.import_module('chainer_fast.' + name)
        raise _missing_names.error(__name__, name)


def _load_chainerx():
    from chainer_fast import chainerx
    return chainerx


_kinds.kinds['ChainerX'].load = _load_chainerx

def load_ipython_extension(ipython: object) -> None:
    """Make ``import chainer`` mean this package: ``%load_ext chainer_fast``."""
    alias.install()


def unload_ipython_extension(ipython: object) -> None:
    """Undo ``%load_ext chainer_fast``."""
    alias.uninstall()


if 'CHAINER_FAST_LEGACY' in _os.environ:
    from chainer_fast import legacy
    legacy.enable_from_environment()
