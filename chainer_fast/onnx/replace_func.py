"""Wrapping parts of a model as single functions of the graph, for export."""
from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from chainer_fast import _backprop, configuration, function, function_node
from chainer_fast import variable as _variable
from chainer_fast.backends.arrays import get_array_types
from chainer_fast.types import NdArray
from chainer_fast.utils.experimental import experimental
from chainer_fast.variable import GradOutputs, Variable


class WrappedFunctionNode(function_node.FunctionNode):
    """A Python function as a single function of the graph.

    Gradients propagate through the functions that it calls; variables that it uses
    without receiving them as arguments, such as parameters, also get gradients.

    Parameters
    ----------
    name : str
        Name of the ONNX converter.
    func : callable
        The Python function.
    args : tuple
        Its positional arguments.
    kwargs : dict
        Its keyword arguments.
    arg_vars : list of Variable
        The variables among the arguments, which become the inputs.
    attributes : iterable of tuple or None
        Pairs of a name and a value: attributes for converters.
    """

    def __init__(
            self, name: str, func: Callable[..., Any], args: tuple[Any, ...],
            kwargs: dict[Any, Any], arg_vars: Sequence[Variable],
            attributes: Iterable[tuple[Any, ...]] | None = None) -> None:
        super().__init__()
        self.custom_function_node_name = name
        self.func = func
        self.args = args
        self.kwargs = kwargs
        self.arg_vars = arg_vars
        self.internal_inputs: list[Variable] = []
        self.internal_results: list[Any] | None = None
        self.skeleton: Any = None
        for key, value in attributes or ():
            if hasattr(function_node.FunctionNode, key):
                raise AttributeError(
                    'the argument %r of %s cannot become an attribute, since '
                    'functions already have an attribute of that name: use '
                    'rename_attributes=[(%r, ...)]'
                    % (key, name, key))
            setattr(self, key, value)

    def _call(self, variables):
        """Call the function with other variables, and return its results as a list."""
        new = {id(old): x for old, x in zip(self.arg_vars, variables, strict=True)}

        def replace(value):
            if isinstance(value, _variable.Variable):
                return new[id(value)]
            if _variables_in(value) is None:
                return value
            if isinstance(value, dict):
                return {key: replace(x) for key, x in value.items()}
            return [replace(x) for x in value]

        outputs = self.func(
            *[replace(value) for value in self.args],
            **{key: replace(value) for key, value in self.kwargs.items()})
        results = []
        self.skeleton = _flatten(outputs, results)
        return results

    def forward(self, xs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        inputs = [
            _variable.Variable(x, name=old.name, requires_grad=old.requires_grad)
            for x, old in zip(xs, self.arg_vars, strict=True)]
        with function.force_backprop_mode():
            results = self._call(inputs)
        arrays = []
        for result in results:
            array = result.array if isinstance(
                result, _variable.Variable) else result
            if not isinstance(array, get_array_types()):
                raise ValueError(
                    '%s, a function wrapped by as_funcnode, must return arrays or '
                    'variables, alone or in tuples, lists and dicts, not %s'
                    % (self.custom_function_node_name, type(array)))
            arrays.append(array)
        if all(isinstance(result, _variable.Variable) for result in results):
            self.internal_inputs = inputs
            self.internal_results = results
        self.retain_inputs(tuple(range(len(xs))))
        return tuple(arrays)

    def backward(
            self, target_input_indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        if self.internal_results is None:
            raise ValueError(
                '%s, a function wrapped by as_funcnode, has no gradient, since it '
                'returns arrays: compute its results with functions of variables'
                % self.custom_function_node_name)
        if configuration.config.enable_backprop:
            # A differentiable gradient depends on the original inputs.
            inputs = list(self.get_retained_inputs())
            with configuration.using_config('in_recomputing', True):
                results = self._call(inputs)
            reached = _reached(results, grad_outputs)
            return tuple(function_node.grad(
                [y for y, _ in reached], [inputs[i] for i in target_input_indexes],
                [g for _, g in reached], enable_double_backprop=True))
        # In one pass, so that outside variables get their gradients, too.
        for x in self.internal_inputs:
            x.cleargrad()
        reached = _reached(self.internal_results, grad_outputs)
        _backprop.backward([y for y, _ in reached], [g for _, g in reached])
        return tuple([
            self.internal_inputs[i].grad_var for i in target_input_indexes])

    def reconstruct_return_value(self, outputs: Sequence[Variable]) -> Any:
        """Replace the results of the Python function by the outputs.

        Parameters
        ----------
        outputs : sequence of Variable
            The outputs.

        Returns
        -------
        Variable, or tuple, list or dict of them
            The structure that the function returned, with the outputs as its
            results.
        """
        def build(skeleton):
            if isinstance(skeleton, dict):
                return {key: build(value) for key, value in skeleton.items()}
            if isinstance(skeleton, (tuple, list)):
                return type(skeleton)([build(value) for value in skeleton])
            return outputs[skeleton]
        return build(self.skeleton)


def _reached(results, gradients):
    """Return pairs of results and gradients that are not None."""
    return [(y, g) for y, g in zip(results, gradients, strict=True)
            if g is not None and y.creator_node is not None]


def _variables_in(value):
    """Return the variables in a structure as a list; None if it has other objects."""
    if isinstance(value, _variable.Variable):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    if not isinstance(value, (tuple, list)):
        return None
    parts = [_variables_in(x) for x in value]
    if not parts or any(part is None for part in parts):
        return None
    return [x for part in parts for x in part]


def _flatten(value, results):
    """Append the results to a list, and return the structure of positions."""
    if isinstance(value, dict):
        return {key: _flatten(x, results) for key, x in value.items()}
    if isinstance(value, (tuple, list)):
        return (tuple if isinstance(value, tuple) else list)(
            [_flatten(x, results) for x in value])
    results.append(value)
    return len(results) - 1


def fake_as_funcnode(
        alt_func: Callable[..., Any], name: str,
        rename_attributes: Iterable[tuple[str, str]] | None = None,
        experimental_warning: bool = True) -> Callable[..., Any]:
    """Wrap a function as a single function of the graph.

    An exported model then contains one operator for it, made by the converter of that
    name: one of :data:`chainer_fast.onnx.mapping.converters`, or of the argument
    ``external_converters`` of :func:`chainer_fast.onnx.export`. This is how parts of a
    model that use bare arrays, or functions without a converter, are exported.

    Parameters
    ----------
    alt_func : callable
        The function. Its arguments include variables, alone or in lists, tuples and
        dicts that contain only variables; it returns variables or arrays, alone or in
        tuples, lists and dicts.
    name : str
        Name of the converter.
    rename_attributes : list of tuple or None
        Arguments that are not variables become attributes of ``params.func`` in the
        converter: with their own names if they are passed by name or by default,
        otherwise as ``'arg0'``, ``'arg1'``, .... Pairs ``(old, new)`` rename them,
        where ``old`` is a name, or the index of a positional argument.
    experimental_warning : bool
        Whether to warn that the interface is experimental.

    Returns
    -------
    callable
        Has the parameters of ``alt_func``, and returns its results as variables.

    Raises
    ------
    ValueError
        In the returned function, if no argument is a variable, or if a result is not
        an array; in its gradient, if it returns arrays.

    Examples
    --------
    >>> from chainer_fast.onnx.replace_func import fake_as_funcnode
    >>> def scale(x, by):
    ...     return x * by
    >>> scale = fake_as_funcnode(
    ...     scale, 'MulConstant', [(1, 'value')], experimental_warning=False)
    >>> scale(chainer.Variable(np.array([1., 2.])), 3).array
    array([3., 6.])
    """
    if experimental_warning:
        experimental('as_funcnode')
    names: dict[Any, Any] = dict(rename_attributes or ())
    signature = inspect.signature(alt_func)

    # The dictionary of a link has more entries than a function should get.
    @functools.wraps(alt_func, updated=())
    def call(*args, **kwargs):
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        given = set(signature.bind(*args, **kwargs).arguments)
        kwargs = {**kwargs, **{
            key: value for key, value in bound.arguments.items() if key not in given
            and signature.parameters[key].kind not in (
                inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD,
                inspect.Parameter.POSITIONAL_ONLY)}}
        variables, attributes = [], []
        for key, value in [*enumerate(args), *kwargs.items()]:
            found = _variables_in(value)
            if found is not None:
                variables.extend(found)
            else:
                attribute = 'arg%d' % key if isinstance(key, int) else key
                attributes.append((names.get(key, attribute), value))
        if not variables:
            raise ValueError(
                '%s, a function wrapped by as_funcnode, must get at least one '
                'variable: got %s' % (name, ', '.join(
                    type(value).__name__ for value in [*args, *kwargs.values()])
                    or 'no arguments'))
        wrapped = WrappedFunctionNode(
            name, alt_func, args, kwargs, variables, attributes)
        return wrapped.reconstruct_return_value(wrapped.apply(variables))
    return call


def as_funcnode(
        name: str,
        rename_attributes: Iterable[tuple[str,
            str]] | None = None) -> Callable[..., Any]:
    """Return a decorator that wraps a function as a single function of the
    graph.

    See :func:`fake_as_funcnode`, which wraps an existing function.

    Parameters
    ----------
    name : str
        Name of the converter.
    rename_attributes : list of tuple or None
        Other names for the attributes.

    Returns
    -------
    callable
        The decorator.

    Examples
    --------
    >>> from chainer_fast.onnx.replace_func import as_funcnode
    >>> class Model(chainer.Chain):  # doctest: +SKIP
    ...     @as_funcnode('Shape')
    ...     def shape(self, x):
    ...         return np.array(x.shape, np.int64)
    """
    def decorate(func):
        return fake_as_funcnode(func, name, rename_attributes)
    return decorate
