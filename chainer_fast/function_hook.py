"""Hooks that see functions being applied and differentiated."""
from chainer_fast._core.state import get_function_hooks


class FunctionHook:
    """Base of function hooks.

    A hook is told before and after the forward and the backward computation of
    functions. Derive from it, override the methods that are of interest, and use the
    object as a context manager: inside the block it sees all functions that the thread
    applies, those of backpropagation included. :meth:`FunctionNode.add_hook
    <chainer_fast.FunctionNode.add_hook>` makes it see one function alone.

    A thread has hooks by name, so that of two hooks of one name the second is turned
    down: give objects names of their own to use several.

    Attributes
    ----------
    name : str
        Name of the hook.
    """

    name = 'FunctionHook'

    def __enter__(self):
        hooks = get_function_hooks()
        if self.name in hooks:
            raise KeyError(
                'hook %s already exists: a hook of this name is in use in this thread'
                % self.name)
        hooks[self.name] = self
        try:
            self.added(None)
        except BaseException:
            # There will be no __exit__ to take the hook away.
            del hooks[self.name]
            raise
        return self

    def __exit__(self, *_):
        hooks = get_function_hooks()
        hooks[self.name].deleted(None)
        del hooks[self.name]

    def added(self, function):
        """Called when the hook comes into use.

        Parameters
        ----------
        function : FunctionNode or None
            The function it is added to; None if it is for the whole thread.
        """

    def deleted(self, function):
        """Called when the hook goes out of use.

        Parameters
        ----------
        function : FunctionNode or None
            The function it is removed from; None if it was for the whole thread.
        """

    def forward_preprocess(self, function, in_data):
        """Called before the outputs of a function are computed.

        Parameters
        ----------
        function : FunctionNode
            The function.
        in_data : tuple of array
            Its inputs.
        """

    def forward_postprocess(self, function, in_data):
        """Called after the outputs of a function are computed; see
        :meth:`forward_preprocess`."""

    def backward_preprocess(self, function, in_data, out_grad):
        """Called before the gradients of a function's inputs are computed.

        Parameters
        ----------
        function : FunctionNode
            The function.
        in_data : tuple of array or None
            Its inputs; None where the array is not retained.
        out_grad : tuple of array or None
            Gradients of its outputs.
        """

    def backward_postprocess(self, function, in_data, out_grad):
        """Called after the gradients of a function's inputs are computed; see
        :meth:`backward_preprocess`."""
