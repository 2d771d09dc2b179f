"""A link between parts of a graph that share no data."""
from chainer_fast import backend, variable
from chainer_fast.function_node import FunctionNode
from chainer_fast.utils.experimental import experimental


class PseudoConnect(FunctionNode):
    """Passes variables on, and leads the backward pass to a delegate variable.

    Its first input is the delegate variable; the others are its outputs.
    """

    def forward(self, inputs):
        self.retain_inputs(())
        self._device = backend.get_device_from_array(inputs[0])
        return inputs[1:]

    def backward(self, target_input_indexes, grad_outputs):
        delegate = self.inputs[0]
        # None would end the backward pass here.
        zeros = variable.Variable(self._device.xp.zeros(delegate.shape, delegate.dtype))
        gradients = (zeros, *grad_outputs)
        return tuple([gradients[i] for i in target_input_indexes])


def pseudo_connect(delegate_variable, *actual_variables):
    """Connect a delegate variable to other variables.

    The backward pass from the results visits the function behind the delegate variable,
    too. With it, one process may call :func:`send` several times: ::

        phi1 = chainermn.functions.send(x1, comm, rank=1)
        phi2 = chainermn.functions.send(x2, comm, rank=1)
        psi, = chainermn.functions.pseudo_connect(phi1, phi2)

    Parameters
    ----------
    delegate_variable : Variable or None
        Result of :func:`send`. Nothing is connected if None.
    *actual_variables : Variable or array
        Variables that the model goes on with.

    Returns
    -------
    tuple of Variable
        Variables that take the place of ``actual_variables``, with the same arrays.
    """
    experimental('chainermn.functions.pseudo_connect')
    if delegate_variable is None:
        xp = backend.get_array_module(*actual_variables)
        delegate_variable = variable.Variable(
            xp.zeros(0, 'f'), requires_grad=False)
    return PseudoConnect().apply((delegate_variable, *actual_variables))
