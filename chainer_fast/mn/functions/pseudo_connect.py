"""A connection between parts of a graph that share no data."""
from __future__ import annotations

from typing import Any

from chainer_fast import backend, variable
from chainer_fast.function_node import FunctionNode
from chainer_fast.types import NdArray
from chainer_fast.utils.experimental import experimental
from chainer_fast.variable import GradOutputs, Variable


class PseudoConnect(FunctionNode):
    """Returns variables unchanged, and extends the backward pass to a delegate
    variable.

    Its first input is the delegate variable; the other inputs are its outputs.
    """

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs(())
        self._devices = [backend.get_device_from_array(x) for x in inputs]
        return inputs[1:]

    def backward(
            self, target_input_indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        gradients = (None, *grad_outputs)
        return tuple([
            self._zeros(i) if gradients[i] is None and self._is_delegate(i)
            else gradients[i] for i in target_input_indexes])

    def _is_delegate(self, i):
        # Delegate variables, which are empty, may be connected to each other.
        return i == 0 or 0 in self.inputs[i].shape

    def _zeros(self, i):
        """Return the gradient of a delegate; None would end the backward pass here."""
        delegate = self.inputs[i]
        return variable.Variable(
            self._devices[i].xp.zeros(delegate.shape, delegate.dtype))


def pseudo_connect(
        delegate_variable: Variable | None,
        *actual_variables: Any) -> tuple[Variable, ...]:
    """Connect a delegate variable to other variables.

    The backward pass from the results also visits the function that made the delegate
    variable. Therefore one process may call :func:`send` several times: ::

        phi1 = chainermn.functions.send(x1, comm, rank=1)
        phi2 = chainermn.functions.send(x2, comm, rank=1)
        psi, = chainermn.functions.pseudo_connect(phi1, phi2)

    Parameters
    ----------
    delegate_variable : Variable or None
        Result of :func:`send`. Nothing is connected if None.
    *actual_variables : Variable or array
        Variables that the model uses next.

    Returns
    -------
    tuple of Variable
        Variables that replace ``actual_variables``, with the same arrays.
    """
    experimental('chainermn.functions.pseudo_connect')
    if delegate_variable is None:
        xp = backend.get_array_module(*actual_variables)
        delegate_variable = variable.Variable(
            xp.zeros(0, 'f'), requires_grad=False)
    return PseudoConnect().apply((delegate_variable, *actual_variables))
