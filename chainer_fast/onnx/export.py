"""Export of models to ONNX files."""
from __future__ import annotations

import logging
import warnings
from collections.abc import Callable
from typing import Any

from chainer_fast import configuration
from chainer_fast import variable as _variable
from chainer_fast._help import mistakes
from chainer_fast.backends import cuda
from chainer_fast.backends.arrays import get_array_types
from chainer_fast.link import Link
from chainer_fast.onnx import _building, _files, _model_state, mapping
from chainer_fast.onnx._library import onnx
from chainer_fast.onnx._names import (
    as_variables,
    list_outputs,
    name_inputs,
)
from chainer_fast.onnx._names import (
    rename_variable_name as rename_variable_name,
)
from chainer_fast.onnx._shapes import (
    format_customized_shapes as format_customized_shapes,
)
from chainer_fast.onnx._tracing import RetainInputHook as RetainInputHook
from chainer_fast.onnx.context import Context
from chainer_fast.onnx.graph import Graph
from chainer_fast.onnx.onnx_helper import (
    NP_TYPE_TO_TENSOR_TYPE as NP_TYPE_TO_TENSOR_TYPE,
)
from chainer_fast.onnx.onnx_helper import (
    is_support_non_standard_domain as is_support_non_standard_domain,
)
from chainer_fast.utils.experimental import experimental
from chainer_fast.variable import Parameter, VariableOrArray

_logger = logging.getLogger(__name__)

#: The oldest operator set version with which all converters are tested.
MINIMUM_OPSET_VERSION = 7

#: The newest operator set version of the installed ONNX.
MAXIMUM_OPSET_VERSION: int

# Versions that runtimes of the last two years support: onnxruntime 1.20 of October 2024
# supports versions up to this one, with IR version 10. ONNX itself is ahead of all
# runtimes.
_DEFAULT_OPSET_VERSION = 21


def __getattr__(name: str) -> int:
    if name == 'MAXIMUM_OPSET_VERSION':
        return onnx.defs.onnx_opset_version()
    raise AttributeError('module %r has no attribute %r' % (__name__, name))


def convert_parameter(
        parameter: Parameter | VariableOrArray, context: Context) -> Any:
    """Make the initializer of an array.

    Parameters
    ----------
    parameter : Parameter, Variable or array
        The array.
    context : chainer_fast.onnx.context.Context
        The context, which has its name.

    Returns
    -------
    onnx.TensorProto
        The initializer.

    Raises
    ------
    ValueError
        If ``parameter`` is something else.

    Examples
    --------
    In a converter of a function: ::

        tensor = chainer_fast.onnx.convert_parameter(parameter, context)
    """
    array = parameter.array if isinstance(
        parameter, _variable.Variable) else parameter
    if not isinstance(array, get_array_types()):
        raise ValueError(
            'an initializer is made from a Parameter, a Variable or an array, not %s'
            % type(parameter))
    return onnx.numpy_helper.from_array(
        cuda.to_cpu(array), context.get_name(parameter))


def check_onnx_model(
        onnx_model: Any, external_converters: dict[Any, Any] | None,
        external_opset_imports: dict[Any, Any] | None) -> None:
    """Check a model with ONNX's checker.

    Parameters
    ----------
    onnx_model : onnx.ModelProto
        The model.
    external_converters : dict or None
        The user's converters.
    external_opset_imports : dict or None
        The user's operator sets.

    Raises
    ------
    onnx.checker.ValidationError
        If the model is invalid.

    Warns
    -----
    UserWarning
        Instead of an error, if the user passed converters but no operator sets: their
        nodes may be operators that ONNX does not define.
    """
    onnx_model = _files.without_external_arrays(onnx_model)
    # Before version 9, integer constants are not part of the standard, though runtimes
    # support them.
    full_check = all(
        imported.version >= 9 for imported in onnx_model.opset_import
        if imported.domain == '')
    try:
        onnx.checker.check_model(onnx_model, full_check=full_check)
    except (onnx.checker.ValidationError, onnx.shape_inference.InferenceError) as error:
        if not external_converters or external_opset_imports:
            raise
        warnings.warn(
            'the model has a node that ONNX does not define, or defines in another '
            'form; set a domain for its operator, and list it in '
            'external_opset_imports: %s'
            % error, UserWarning)


def export(
        model: Link, args: Any, filename: str | None = None,
        export_params: bool = True, graph_name: str = 'Graph', save_text: bool = False,
        opset_version: int | None = None, input_names: Any = None,
        output_names: Any = None, train: bool = False,
        return_named_inout: bool = False,
        external_converters: dict[str, Callable[..., Any]] | None = None,
        external_opset_imports: dict[str, int | None] | None = None,
        input_shapes: tuple[Any, ...] | list[tuple[Any, ...]] | dict[str,
            tuple[Any, ...]] | None = None,
        no_testcase: bool = False):
    """Export a model to ONNX.

    The model is called with ``args``, and the functions that compute its outputs are
    converted. The model does not change, except that uninitialized parameters are
    initialized.

    Parameters
    ----------
    model : chainer_fast.Link
        The model; called with the arguments.
    args : Variable, array, or list, tuple or dict of them
        Arguments of the model; those in a dict are passed by keyword. They determine
        the sizes.
    filename : str, path, file object or None
        Where to write the model, if at all. A model of 2 GiB or more needs a file
        name, and its arrays are written to another file with the suffix ``.data``.
    export_params : bool
        Whether the values of parameters are part of the model.
    graph_name : str
        Name of the graph.
    save_text : bool
        Also write the model as text, to a file with the suffix ``.txt``.
    opset_version : int or None
        Version of the operator set, from ``MINIMUM_OPSET_VERSION`` to
        ``MAXIMUM_OPSET_VERSION``, the newest version of the installed ONNX. By
        default 21, which onnxruntime 1.20 and later support.
    input_names, output_names : list or tuple of str, dict, str or None
        Names of the inputs and outputs: in their order, or by key if they are in a
        dict; a str for a single one. By default, inputs are ``Input_0``,
        ``Input_1``, ..., and outputs have the names and the order of the functions
        that compute them.
    train : bool
        Export the model in training mode.
    return_named_inout : bool
        Also return the inputs and outputs.
    external_converters : dict of callable or None
        Converters by function name, which take precedence over those of this
        package. Each is called with an object with the attributes ``func``,
        ``opset_version``, ``input_names``, ``output_names`` and ``context``, and
        returns a tuple of nodes: see :mod:`chainer_fast.onnx.onnx_helper`.
    external_opset_imports : dict of int or None
        Versions of the operator sets of other domains that these nodes use.
    input_shapes : tuple, list of tuple, dict of tuple or None
        Shapes of the inputs with names instead of sizes that vary, such as
        ``('batch', 3, 224, 224)``; a list or dict for several inputs.
    no_testcase : bool
        Suppress the warning that no test data is written.

    Returns
    -------
    onnx.ModelProto, or tuple of onnx.ModelProto, OrderedDict and OrderedDict
        The model; with ``return_named_inout``, also the inputs and outputs by name.

    Raises
    ------
    ValueError
        If a function has no converter, or one that does not support its arguments;
        if names or shapes do not match the arguments; if an output is not a
        variable; if a model of 2 GiB or more is not written to a named file.
    RuntimeError
        If the opset version is too old for a function; if the model returns anything
        but variables, alone or in a list, tuple or dict.
    onnx.checker.ValidationError
        If the checker of ONNX rejects the model.
    ImportError
        If ONNX is not installed.

    Warns
    -----
    UserWarning
        If a parameter has no shape, or the opset version is not tested. An input
        without effect on any output is logged.
    DeprecationWarning
        If the model is written to a file, but ``no_testcase`` is not set:
        :func:`chainer_fast.onnx.export_testcase` writes test data, too.

    See Also
    --------
    chainer_fast.onnx.load
    chainer_fast.onnx.export_testcase

    Examples
    --------
    This example needs the package onnx: ::

        x = np.zeros((1, 3, 224, 224), np.float32)
        chainer_fast.onnx.export(model, x, 'model.onnx', no_testcase=True)

    A batch of any size: ::

        chainer_fast.onnx.export(
            model, x, 'model.onnx', input_shapes=('batch', 3, 224, 224),
            no_testcase=True)
    """
    if return_named_inout:
        experimental('return_named_inout')
    if filename is not None and not no_testcase:
        warnings.warn(
            'the model is written without test data: use export_testcase, or '
            'no_testcase=True', DeprecationWarning)
    opset_version = _choose_opset_version(opset_version)
    if input_shapes is not None:
        input_shapes = format_customized_shapes(args, input_shapes)
    args = as_variables(args)
    context = Context(model)
    context.has_named_sizes = input_shapes is not None
    inputs = name_inputs(context, args, input_names)

    hook = RetainInputHook()
    with _model_state.unchanged(model), mapping.patch_functions(), \
            mapping.patch_functions_named(external_converters or ()), hook, \
            configuration.using_config('train', train), \
            configuration.using_config('enable_backprop', True), \
            configuration.using_config('in_recomputing', True):
        returned = model(**args) if isinstance(args, dict) else model(*args)
        outputs = list_outputs(context, returned, inputs, output_names)

        graph = Graph(
            context, {**mapping.converters, **(external_converters or {})},
            opset_version, inputs, outputs)
        graph.locate = lambda function: hook.describe(function, model)
        graph.is_recorded = lambda function: hook.input_arrays(function) is not None
        graph.to_onnx_graph()
    if output_names is None:
        outputs = graph.sort_outputs(outputs)
    _log_unused(graph, inputs, outputs)
    _log_cuts(context, graph, hook, inputs)

    arrays = _collect_arrays(model, context, graph, hook, outputs)
    storage = _files.choose_storage(
        arrays.values(), filename) if export_params else None
    made = _building.build(
        graph, opset_version, graph_name, inputs, outputs, arrays, storage,
        external_opset_imports, input_shapes)
    try:
        check_onnx_model(made, external_converters, external_opset_imports)
    except onnx.checker.ValidationError as error:
        newest = onnx.defs.onnx_opset_version()
        if opset_version > newest:
            mistakes.tell(error, (
                'opset_version is %s, but the newest of the installed ONNX is %s: '
                'omit it for %s, or install a newer ONNX' % (
                    opset_version, newest, min(_DEFAULT_OPSET_VERSION, newest))))
        raise
    if filename is not None:
        if storage is not None:
            storage.write()
        _files.save(made, filename, save_text)
    return (made, inputs, outputs) if return_named_inout else made


def _choose_opset_version(opset_version):
    newest = onnx.defs.onnx_opset_version()
    if opset_version is None:
        return min(_DEFAULT_OPSET_VERSION, newest)
    if not hasattr(opset_version, '__index__'):
        raise TypeError('opset_version must be an integer from %s to %s, but is %r' % (
            MINIMUM_OPSET_VERSION, newest, opset_version))
    if not MINIMUM_OPSET_VERSION <= opset_version <= newest:
        warnings.warn(
            'opset_version is %s, but export is tested from %d to %d, the newest of '
            'the installed ONNX' % (opset_version, MINIMUM_OPSET_VERSION, newest),
            UserWarning)
    return opset_version


def _log_unused(graph, inputs, outputs):
    # Not a warning: Chainer issues none, and a program may turn them into errors.
    used = {name for node in graph.graph for name in node.input}
    for name in inputs:
        if name not in used and name not in outputs:
            _logger.warning(
                'the input %s has no effect on an output: the model does not use it, '
                'or uses its bare array. Such a part can be wrapped by '
                'onnx_chainer.replace_func.as_funcnode', name)


def _log_cuts(context, graph, hook, inputs):
    moving = hook.computed_arrays() | {id(x.array) for x in inputs.values()}
    for name in context.implicit_inputs:
        function, i = graph.used[name]
        if id(hook.input_arrays(function)[i]) in moving:
            _logger.warning(
                'an array that depends on the inputs becomes a constant, since a '
                'function got it without its variable, as x.array instead of x: %s was '
                'called %s', type(function).__name__, graph.locate(function))


def _collect_arrays(model, context, graph, hook, outputs):
    """Return the initializers by name: first parameters, last those of converters."""
    arrays = {}
    for path, param in model.namedparams():
        if param.array is None:
            warnings.warn(
                "The parameter '%s' is not initialized, skip setting to ONNX graph"
                % path, UserWarning)
        else:
            arrays[context.get_name(param)] = param.array
    for name, y in outputs.items():
        if graph.is_implicit(y.node):
            arrays[name] = y.array
    for name in context.implicit_inputs:
        function, i = graph.used[name]
        arrays[name] = hook.input_arrays(function)[i]
    for array in context.parameters:
        arrays[context.get_name(array)] = array
    return arrays
