"""Values that pass between the graphs of PyTorch and Chainer, with their gradients.

A part of one graph becomes one function of the other graph. `to_torch` searches
backward from the variables for the leaves of their graph: tensors converted by
`from_torch`, parameters shared with a module, and variables that the user created. A
PyTorch function then maps these to the results, and differentiates the part between
them with `chainer_fast.grad`. `from_torch` does the same in the other direction. Each
engine thus receives all dependencies, and gradients can be differentiated again in
either.

Both searches stop at functions of the other engine: everything before those belongs to
the other engine, even if another path leads to it, such as around a residual block.
Therefore the functions at the beginning of a part are *cut* while it is differentiated.
"""
from __future__ import annotations

from typing import overload

import torch

from chainer_fast import configuration, function_node
from chainer_fast.interop.torch import _seam, _sharing
from chainer_fast.interop.torch._arrays import array_of, as_array, as_tensor
from chainer_fast.variable import Variable, VariableOrArray, as_variable


@overload
def to_torch(
        x0: VariableOrArray, x1: VariableOrArray, /,
        *variables: VariableOrArray) -> tuple[torch.Tensor, ...]: ...
@overload
def to_torch(x: VariableOrArray, /) -> torch.Tensor: ...
def to_torch(*variables: VariableOrArray) -> torch.Tensor | tuple[torch.Tensor, ...]:
    """Return variables as tensors that continue their graph.

    The tensors share the memory of the variables' arrays. A backward pass of PyTorch
    through them continues to everything that the variables were computed from:
    gradients are added to ``grad`` of Chainer's variables and parameters, and are
    propagated to tensors converted by :func:`from_torch`.

    Parameters
    ----------
    *variables : Variable or array
        The values to convert. If several are converted in one call, their graph is
        differentiated in one pass.

    Returns
    -------
    torch.Tensor or tuple of torch.Tensor
        One tensor for each variable. They require gradients if a variable does, unless
        backpropagation is turned off on either side
        (:func:`chainer_fast.no_backprop_mode`, ``torch.no_grad``).

    Raises
    ------
    ValueError
        If a parameter is not initialized.
    """
    variables = tuple([as_variable(var) for var in variables])
    entries = []
    if _seam.is_tracing():
        entries = _entries_of_variables(variables)
    if entries:
        tensors = _ToTorch.apply(
            variables, [var for var, _, _ in entries],
            [function for _, _, function in entries if function is not None],
            *[tensor for _, tensor, _ in entries])
    else:
        tensors = tuple([as_tensor(array_of(var)) for var in variables])
    return tensors[0] if len(tensors) == 1 else tensors


@overload
def from_torch(
        x0: torch.Tensor, x1: torch.Tensor, /,
        *tensors: torch.Tensor) -> tuple[Variable, ...]: ...
@overload
def from_torch(x: torch.Tensor, /) -> Variable: ...
def from_torch(*tensors: torch.Tensor) -> Variable | tuple[Variable, ...]:
    """Return tensors as variables that continue their graph.

    The variables share the memory of the tensors. A backward pass of Chainer through
    them continues to everything that the tensors were computed from: gradients are
    added to ``grad`` of PyTorch's leaves, and are propagated to variables converted by
    :func:`to_torch`.

    Parameters
    ----------
    *tensors : torch.Tensor
        The tensors to convert. If several are converted in one call, their graph is
        differentiated in one pass.

    Returns
    -------
    Variable or tuple of Variable
        One variable for each tensor. They require gradients if the tensor does, unless
        backpropagation is turned off on either side.

    Raises
    ------
    TypeError
        If a tensor is sparse, or of a dtype that NumPy lacks, such as bfloat16.
    """
    traced = []
    if _seam.is_tracing():
        traced = [tensor for tensor in tensors if tensor.requires_grad]
    found = iter(_FromTorch.of(traced) if traced else ())
    variables = tuple([
        next(found) if traced and tensor.requires_grad
        else Variable(as_array(tensor), requires_grad=False) for tensor in tensors])
    return variables[0] if len(variables) == 1 else variables


# ---- from Chainer to PyTorch

def _entries_of_variables(variables):
    """Return triples of a variable, its tensor, and the function that computed it.

    The graph of the variables begins at these. Leaves have no function.
    """
    entries: list[tuple] = []
    seen = set()
    stack = [var.node for var in reversed(variables)]
    while stack:
        node = stack.pop()
        if node in seen or not node.requires_grad:
            continue
        seen.add(node)
        function = node.creator_node
        if function is None:
            var = node.get_variable_or_none()
            if var is not None:     # otherwise its gradient would be inaccessible
                entries.append((var, _tensor_of_leaf(var), None))
        elif isinstance(function, _FromTorch):
            entries.append((node.get_variable(), function.tensor_of(node), function))
        else:
            stack.extend(function.inputs or ())
    return entries


def _tensor_of_leaf(var):
    pair = _sharing.pair_of(var)
    if pair is not None:
        return pair.tensor
    return _ChainerLeaf.apply(torch.empty(0, requires_grad=True), var)


class _ToTorch(torch.autograd.Function):
    """A part of Chainer's graph as a PyTorch function."""

    @staticmethod
    def forward(ctx, outputs, inputs, functions, *tensors):
        ctx.outputs, ctx.inputs, ctx.functions = outputs, inputs, functions
        # They pass the gradients of tensors to parameters, and may have no other owner.
        ctx.pairs = [_sharing.pair_of(x) for x in inputs]
        ctx.n_cuts = 0
        ctx.set_materialize_grads(False)
        results = tuple([as_tensor(array_of(y)) for y in outputs])
        # PyTorch then detects in-place changes, which Chainer cannot.
        ctx.save_for_backward(*tensors, *results)
        ctx.mark_non_differentiable(*[
            result for result in results if not result.dtype.is_floating_point
            and not result.dtype.is_complex])
        return results

    @staticmethod
    def backward(ctx, *grads):
        given = [i for i, gy in enumerate(grads) if gy is not None]
        if ctx.n_cuts or not given:
            return (None,) * len(ctx.needs_input_grad)
        _ = ctx.saved_tensors       # raises an error if one of them was changed
        wanted = [i for i, is_needed in enumerate(ctx.needs_input_grad) if is_needed]
        again = torch.is_grad_enabled()
        with configuration.using_config('enable_backprop', again), _seam.cutting(
                ctx.functions):
            gys = _seam.as_tuple(from_torch(*[grads[i] for i in given]))
            outputs, gys = _seam.merged([ctx.outputs[i] for i in given], gys)
            found = function_node.grad(
                outputs, [ctx.inputs[i - 3] for i in wanted], gys,
                enable_double_backprop=again)
            return _seam.scattered(
                len(ctx.needs_input_grad), wanted, found,
                to_torch if again else _seam.copies)


class _ChainerLeaf(torch.autograd.Function):
    """A variable without a creator, as a tensor that accumulates its gradient."""

    @staticmethod
    def forward(ctx, anchor, var):
        ctx.var = var
        ctx.set_materialize_grads(False)
        return as_tensor(array_of(var))

    @staticmethod
    def backward(ctx, grad):
        if grad is None:
            return None, None
        with configuration.using_config('enable_backprop', torch.is_grad_enabled()):
            # PyTorch may add to this gradient in place later.
            gx, old = from_torch(grad.clone()), ctx.var.grad_var
            ctx.var.grad_var = gx if old is None else old + gx
        return None, None


# ---- from PyTorch to Chainer

def _entries_of_tensors(tensors):
    """Return triples of a variable, its edge in PyTorch's graph, and a function.

    The graph of the tensors begins at these. Leaves have no function.
    """
    entries: list[tuple] = []
    seen = set()
    edge_of = torch.autograd.graph.get_gradient_edge
    stack = [tuple(edge_of(tensor))[:2] for tensor in reversed(tensors)]
    while stack:
        node, number = edge = stack.pop()
        if node is None or edge in seen:
            continue
        is_output = isinstance(node, _ToTorch._backward_cls)
        # The outputs of other functions lead to the same edge.
        seen.add(edge)
        if is_output:
            entries.append((
                node.outputs[number], torch.autograd.graph.GradientEdge(node, number),
                node))
        elif type(node).__name__ == 'AccumulateGrad':
            entries.append((_variable_of_leaf(node.variable), node.variable, None))
        elif (node, None) not in seen:
            seen.add((node, None))
            stack.extend(reversed(node.next_functions))
    return entries


def _variable_of_leaf(tensor):
    pair = _sharing.pair_of(tensor)
    if pair is not None:
        return pair.parameter
    return _TorchLeaf.of(tensor)


class _FromTorch(function_node.FunctionNode):
    """A part of PyTorch's graph as a Chainer function."""

    def __init__(self, tensors, edges, functions):
        self.n_cuts = 0
        self._tensors, self._edges, self._functions = tensors, edges, functions
        self._versions = [tensor._version for tensor in tensors]

    @classmethod
    def of(cls, tensors):
        entries = _entries_of_tensors(tensors)
        function = cls(
            tensors, [edge for _, edge, _ in entries],
            [function for _, _, function in entries if function is not None])
        # A tensor can require a gradient without being connected to a graph.
        inputs = [var for var, _, _ in entries] or [_seam.anchor()]
        return function.apply(inputs)

    def tensor_of(self, node):
        """Return the tensor that a node of Chainer's graph represents."""
        for output, tensor in zip(self.outputs, self._tensors, strict=True):
            if output() is node:
                return tensor

    def forward(self, inputs):
        return tuple([as_array(tensor) for tensor in self._tensors])

    def backward(self, indexes, grads):
        given = [i for i, gy in enumerate(grads) if gy is not None]
        if self.n_cuts or not given or not self._edges:
            return (None,) * len(indexes)
        for i in given:
            if self._tensors[i]._version != self._versions[i]:
                raise RuntimeError(
                    'a tensor of shape %s was changed in place after from_torch, which '
                    'shares its memory: its gradient would be wrong. Use the '
                    'out-of-place form of the function, or pass a clone to from_torch'
                    % (tuple(self._tensors[i].shape),))
        again = configuration.config.enable_backprop
        with torch.set_grad_enabled(again), _seam.cutting(self._functions):
            gys = _seam.as_tuple(to_torch(*[grads[i] for i in given]))
            found = torch.autograd.grad(
                [self._tensors[i] for i in given], [self._edges[i] for i in indexes],
                gys, retain_graph=True, create_graph=again, allow_unused=True)
            return _seam.scattered(
                len(indexes), range(len(indexes)), found, from_torch)


class _TorchLeaf(function_node.FunctionNode):
    """A PyTorch leaf, as a variable that accumulates the gradient of the leaf."""

    def __init__(self, tensor):
        self._tensor = tensor

    @classmethod
    def of(cls, tensor):
        return cls(tensor).apply((_seam.anchor(),))[0]

    def forward(self, inputs):
        return as_array(self._tensor),

    def backward(self, indexes, grads):
        again = configuration.config.enable_backprop
        with torch.set_grad_enabled(again):
            gx, old = to_torch(grads[0]), self._tensor.grad
            # PyTorch adds to its own gradients in place, and this one may be Chainer's.
            self._tensor.grad = gx.clone() if old is None else old + gx
        return None,
