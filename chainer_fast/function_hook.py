"""Hooks that are called when functions are applied and differentiated."""
from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from chainer_fast._core.configuration.state import get_function_hooks
from chainer_fast.types import GradArrays

if TYPE_CHECKING:
    from chainer_fast.function_node import FunctionNode


_Hook = TypeVar('_Hook', bound='FunctionHook')


class FunctionHook:
    """Base of function hooks.

    A hook is called before and after the forward and the backward computation of
    functions. Override the methods of interest in a subclass, and use the object as a
    context manager: inside the block it is called for all functions that the thread
    applies, including those of backpropagation. :meth:`FunctionNode.add_hook
    <chainer_fast.FunctionNode.add_hook>` adds it to one function only.

    The hooks of a thread have distinct names. To use several hooks of one class at
    once, give them different names.

    Attributes
    ----------
    name : str
        Name of the hook.

    Raises
    ------
    KeyError
        In a ``with`` statement, if the thread already has a hook of that name.

    See Also
    --------
    chainer_fast.function_hooks

    Examples
    --------
    >>> class Names(chainer.FunctionHook):
    ...     name = 'Names'
    ...     def forward_preprocess(self, function, in_data):
    ...         print(function.label, [x.shape for x in in_data])
    >>> with Names():
    ...     y = F.relu(L.Linear(3, 2)(np.ones((4, 3), np.float32)))
    LinearFunction [(4, 3), (2, 3), (2,)]
    ReLU [(4, 2)]
    """

    name = 'FunctionHook'

    def __enter__(self: _Hook) -> _Hook:
        hooks = get_function_hooks()
        if self.name in hooks:
            raise KeyError(
                'hook %s already exists: a hook of this name is in use in this thread'
                % (self.name,))
        hooks[self.name] = self
        try:
            self.added(None)
        except BaseException:
            # __exit__ will not be called to remove the hook.
            del hooks[self.name]
            raise
        return self

    def __exit__(self, *_: object) -> None:
        hooks = get_function_hooks()
        hooks[self.name].deleted(None)
        del hooks[self.name]

    def added(self, function: FunctionNode | None) -> None:
        """Called when the hook is registered.

        Parameters
        ----------
        function : FunctionNode or None
            The function that it is added to; None for the whole thread.
        """

    def deleted(self, function: FunctionNode | None) -> None:
        """Called when the hook is unregistered.

        Parameters
        ----------
        function : FunctionNode or None
            The function that it is removed from; None for the whole thread.
        """

    def forward_preprocess(self, function: FunctionNode, in_data: GradArrays) -> None:
        """Called before the outputs of a function are computed.

        Parameters
        ----------
        function : FunctionNode
            The function.
        in_data : tuple of array
            Its inputs.
        """

    def forward_postprocess(self, function: FunctionNode, in_data: GradArrays) -> None:
        """Called after the outputs of a function are computed; see
        :meth:`forward_preprocess`."""

    def backward_preprocess(
            self, function: FunctionNode, in_data: GradArrays,
            out_grad: GradArrays) -> None:
        """Called before the gradients of a function's inputs are computed.

        Parameters
        ----------
        function : FunctionNode
            The function.
        in_data : tuple of array or None
            Its inputs; None for arrays that are not retained.
        out_grad : tuple of array or None
            Gradients of its outputs.
        """

    def backward_postprocess(
            self, function: FunctionNode, in_data: GradArrays,
            out_grad: GradArrays) -> None:
        """Called after the gradients of a function's inputs are computed; see
        :meth:`backward_preprocess`."""
