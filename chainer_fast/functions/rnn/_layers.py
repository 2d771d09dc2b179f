"""Stacked recurrent layers on arrays, and their gradient."""
from chainer_fast import backend
from chainer_fast.backends.kernels import array, recurrent
from chainer_fast.functions.noise import dropout

# Gates of each kind of cell. Each direction of a layer has a matrix and a bias vector
# for the input of each gate, and as many for the last state.
GATES = {'lstm': 4, 'gru': 3, 'rnn_tanh': 1, 'rnn_relu': 1}


class Layers:
    """Stacked recurrent layers in one or both directions.

    The samples of all steps are the rows of one matrix, step by step.

    Parameters
    ----------
    mode : str
        Kind of cell, a key of ``GATES``.
    directions : int
        1, or 2 if layers also process the sequences from the last step to the first.
    sizes : tuple of int
        Number of samples in each step, in descending order.
    ratio : float or None
        Ratio of the dropout between layers; None means no dropout.
    """

    def __init__(self, mode, directions, sizes, ratio):
        self.mode = mode
        self.directions = directions
        self.sizes = sizes
        self.ratio = ratio
        self.masks = []

    def forward(self, x, hx, cx, weights):
        """Compute all states.

        Parameters
        ----------
        x : array
            Inputs, of shape ``(N, m)``.
        hx, cx : array or None
            First states and cells of each layer and direction.
        weights : list of tuple
            Matrices and biases of each direction of each layer: those of each gate for
            the input, then those for the last state.

        Returns
        -------
        tuple of array
            States of the last layer for each row of ``x``, concatenated if there are
            two directions, and the last states and cells of all layers.
        """
        self.array_module = backend.get_array_module(x)
        self.dtype = x.dtype
        self._inputs, self._traces = [], []
        hy, cy, sides = [], [], []
        for k in range(len(weights)):
            reverse = k % self.directions == 1
            if k > 0 and not reverse:
                x, sides = self._joined(sides), []
            inputs = x if k < self.directions else self._dropped(x)
            y, h_last, c_last, trace = recurrent.layer(
                inputs, *weights[k], hx[k], None if cx is None else cx[k], self.sizes,
                self.mode, reverse)
            hy.append(h_last)
            cy.append(c_last)
            sides.append(y)
            self._inputs.append(inputs)
            self._traces.append(trace)
        return self._joined(sides), _stacked(hy), _stacked(cy)

    def _joined(self, sides):
        return sides[0] if len(sides) == 1 else array.join(sides[0], sides, 1)

    def _dropped(self, x):
        """Return the inputs of one direction of an upper layer, after dropout."""
        if self.ratio is None:
            return x
        # Random numbers are drawn even if the ratio is 0. Computing all steps at once
        # draws the same numbers as computing them one by one.
        function = dropout.Dropout(self.ratio)
        x, = function.forward((x,))
        self.masks.append(function.mask)
        return x

    def backward(self, gy, ghy, gcy, wants_gx):
        """Compute all gradients.

        Parameters
        ----------
        gy, ghy, gcy : array or None
            Gradients of the outputs.
        wants_gx : bool
            Whether to compute the gradient of the inputs.

        Returns
        -------
        gx : array or None
            Gradient of the inputs.
        ghx, gcx : array or None
            Gradients of the first states and cells.
        weights : list of tuple
            Gradients of the concatenated matrices for the input and for the last state,
            of the biases for the input, and of the biases for the last state.
        """
        xp = self.array_module
        ghx, gcx, gradients = [], [], []
        n = ghy.shape[2]
        gx = None
        for k in reversed(range(len(self._traces))):
            side = k % self.directions
            gys = gy if self.directions == 1 else xp.ascontiguousarray(
                gy[:, side * n:(side + 1) * n])
            wants_part = wants_gx or k >= self.directions
            part, gh_first, gc_first, of_weights = recurrent.layer_grad(
                gys, self._traces[k], self._inputs[k], ghy[k],
                None if gcy is None else gcy[k], self.sizes, self.mode, side == 1,
                wants_part)
            gradients.append(of_weights)
            ghx.append(gh_first)
            gcx.append(gc_first)
            if not wants_part:
                continue
            if k >= self.directions and self.masks:
                part *= self.masks[k - self.directions]
            gx = part if gx is None else gx + part
            if side == 0:
                gy, gx = gx, None
        return (gy if wants_gx else None, _stacked(ghx[::-1]), _stacked(gcx[::-1]),
                gradients[::-1])


def _stacked(states):
    """Return the states of all layers as one array; None if there are none."""
    if states[0] is None:
        return None
    if len(states) == 1:
        return states[0][None]
    return array.join(states[0], states, 0).reshape(len(states), *states[0].shape)
