"""Theano expressions as a link."""
from __future__ import annotations

from chainer_fast import link
from chainer_fast.functions.theano import theano_function


class TheanoFunction(link.Link):
    """Computes a Theano expression and its gradient.

    Theano differentiates the expression and compiles both.

    The link has no parameters: shared variables of Theano are not updated. Gradients
    cannot be differentiated again.

    Parameters
    ----------
    inputs : theano.tensor.TensorVariable, or tuple or list of them
        The variables that the arguments correspond to.
    outputs : theano.tensor.TensorVariable, or tuple or list of them
        The expressions to compute.

    Attributes
    ----------
    forward_func, backward_func : theano.compile.Function
        The compiled functions.

    Raises
    ------
    RuntimeError
        If Theano is not installed.
    TypeError
        If ``inputs`` or ``outputs`` have another type.

    See Also
    --------
    chainer_fast.Function

    Examples
    --------
    It needs the package Theano: ::

        x = theano.tensor.fmatrix()
        y = theano.tensor.fmatrix()
        f = L.TheanoFunction([x, y], [x + y, x - y])
        z, w = f(a, b)
    """

    def __init__(self, inputs, outputs):
        try:
            import theano
            import theano.tensor
        except ImportError as e:
            raise RuntimeError(
                'TheanoFunction needs the package Theano, which cannot be imported '
                '(%s). Run `pip install theano`, and install a version of NumPy that '
                'Theano supports.' % (e,)) from e
        super().__init__()
        variable_type = theano.tensor.TensorVariable
        inputs = _as_tuple('inputs', inputs, variable_type)
        outputs = _as_tuple('outputs', outputs, variable_type)

        self.forward_func = theano.function(inputs=inputs, outputs=outputs)
        grads = [
            y.type('grad_of_output_%d' % i) for i, y in enumerate(outputs)]
        # The gradient is not that of a scalar, but of the products with the gradients
        # of the outputs.
        expressions = theano.tensor.grad(
            cost=None, wrt=inputs, known_grads=dict(zip(outputs, grads, strict=True)),
            disconnected_inputs='ignore')
        self.backward_func = theano.function(
            inputs=(*inputs, *grads), outputs=expressions, on_unused_input='ignore')

    def forward(self, *args):
        """Compute the expressions.

        Parameters
        ----------
        *args : chainer_fast.Variable or array
            Values of the inputs, with their dimensions and dtypes.

        Returns
        -------
        chainer_fast.Variable or tuple of chainer_fast.Variable
            The values; a tuple if there are several.

        Raises
        ------
        chainer_fast.utils.type_check.InvalidType
            If the number of arguments is wrong, or one of them has another number of
            axes or another dtype.
        """
        return theano_function.TheanoFunction(
            self.forward_func, self.backward_func)(*args)


def _as_tuple(name, given, variable_type):
    """Return one or several variables as a tuple."""
    variables = (given,) if isinstance(given, variable_type) else given
    try:
        variables = tuple(variables)
    except TypeError:
        variables = (given,)
    for each in variables:
        if not isinstance(each, variable_type):
            raise TypeError(
                '%s must be a TensorVariable of Theano, or a tuple or list of them, '
                'not %r' % (name, each))
    return variables
