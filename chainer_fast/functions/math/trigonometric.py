"""Trigonometric functions and their inverses."""
from __future__ import annotations

from chainer_fast import backend, function_node, utils
from chainer_fast.backends import arrays
from chainer_fast.backends.kernels import record
from chainer_fast.backends.kernels.arithmetic import elementwise, unary
from chainer_fast.backends.kernels.common import halves
from chainer_fast.functions import _checks
from chainer_fast.functions.math import _gradients, _unary
from chainer_fast.types import NdArray, Xp
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


@record(elementwise('sin', ('Sin::grad', 0)))
class Sin(_unary.FloatUfunc):
    """Sine."""

    label = 'sin'
    ufunc = 'sin'

    def gradient(self, x: Variable, gy: Variable) -> Variable:
        return SinGrad().apply((x, gy))[0]


class SinGrad(_unary.ElementwiseGrad):
    """Gradient of the sine: ``cos(x) * gy``."""

    def slope(self, x: NdArray, xp: Xp) -> NdArray:
        return unary.ufunc(x, 'cos')(x)

    def curve(self, x: Variable) -> Variable:
        return -sin(x)


def sin(x: VariableOrArray) -> Variable:
    """Elementwise sine.

    .. math:: y = \\sin x

    Parameters
    ----------
    x : Variable or array
        Angles in radians, floating-point, of any shape.

    Returns
    -------
    Variable
        Sines, of the shape and dtype of ``x``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``x`` is not floating-point.

    See Also
    --------
    chainer_fast.functions.cos
    chainer_fast.functions.arcsin
    numpy.sin

    Examples
    --------
    >>> F.sin(np.array([0., np.pi / 2], np.float32)).array
    array([0., 1.], dtype=float32)
    """
    return Sin().apply((x,))[0]


@record(elementwise('cos', ('Cos::grad', 0)))
class Cos(_unary.FloatUfunc):
    """Cosine."""

    label = 'cos'
    ufunc = 'cos'

    def gradient(self, x: Variable, gy: Variable) -> Variable:
        return CosGrad().apply((x, gy))[0]


class CosGrad(_unary.ElementwiseGrad):
    """Gradient of the cosine: ``-sin(x) * gy``."""

    def slope(self, x: NdArray, xp: Xp) -> NdArray:
        return -unary.ufunc(x, 'sin')(x)

    def curve(self, x: Variable) -> Variable:
        return -cos(x)


def cos(x: VariableOrArray) -> Variable:
    """Elementwise cosine.

    .. math:: y = \\cos x

    Parameters
    ----------
    x : Variable or array
        Angles in radians, floating-point, of any shape.

    Returns
    -------
    Variable
        Cosines, of the shape and dtype of ``x``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``x`` is not floating-point.

    See Also
    --------
    chainer_fast.functions.sin
    chainer_fast.functions.arccos
    numpy.cos

    Examples
    --------
    >>> F.cos(np.array([0., np.pi], np.float32)).array
    array([ 1., -1.], dtype=float32)
    """
    return Cos().apply((x,))[0]


@record(elementwise('tan', ('Tan::grad', 0)))
class Tan(_unary.FloatUfunc):
    """Tangent."""

    label = 'tan'
    ufunc = 'tan'

    def gradient(self, x: Variable, gy: Variable) -> Variable:
        c = cos(x)
        return gy / (c * c)


def tan(x: VariableOrArray) -> Variable:
    """Elementwise tangent.

    .. math:: y = \\tan x = \\frac{\\sin x}{\\cos x}

    Parameters
    ----------
    x : Variable or array
        Angles in radians, floating-point, of any shape.

    Returns
    -------
    Variable
        Tangents, of the shape and dtype of ``x``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``x`` is not floating-point.

    See Also
    --------
    chainer_fast.functions.arctan
    chainer_fast.functions.tanh
    numpy.tan

    Examples
    --------
    >>> F.tan(np.array([0., np.pi / 4], np.float32)).array
    array([0., 1.], dtype=float32)
    """
    return Tan().apply((x,))[0]


@record(elementwise('arcsin', ('Arcsin::grad', 0)))
class Arcsin(_unary.FloatUfunc):
    """Inverse sine."""

    label = 'arcsin'
    ufunc = 'arcsin'

    def gradient(self, x: Variable, gy: Variable) -> Variable:
        return ArcsinGrad().apply((x, gy))[0]


class ArcsinGrad(_unary.ElementwiseGrad):
    """Gradient of the inverse sine: ``gy / sqrt(1 - x ** 2)``."""

    def slope(self, x: NdArray, xp: Xp) -> NdArray:
        return 1 / xp.sqrt(1 - x * x)

    def curve(self, x: Variable) -> Variable:
        return x / (1 - x * x) ** 1.5


def arcsin(x: VariableOrArray) -> Variable:
    """Elementwise inverse sine.

    .. math:: \\sin y = x, \\quad -\\pi / 2 \\le y \\le \\pi / 2

    Parameters
    ----------
    x : Variable or array
        Floating-point elements between -1 and 1, of any shape; the result is NaN for
        others.

    Returns
    -------
    Variable
        Angles between ``-pi / 2`` and ``pi / 2``, of the shape and dtype of ``x``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``x`` is not floating-point.

    See Also
    --------
    chainer_fast.functions.sin
    chainer_fast.functions.arctan
    numpy.arcsin

    Examples
    --------
    >>> F.arcsin(np.array([1., 0.], np.float32)).array
    array([1.5708, 0.    ], dtype=float32)
    """
    return Arcsin().apply((x,))[0]


@record(elementwise('arccos', ('Arccos::grad', 0)))
class Arccos(_unary.FloatUfunc):
    """Inverse cosine."""

    label = 'arccos'
    ufunc = 'arccos'

    def gradient(self, x: Variable, gy: Variable) -> Variable:
        return ArccosGrad().apply((x, gy))[0]


class ArccosGrad(_unary.ElementwiseGrad):
    """Gradient of the inverse cosine: ``-gy / sqrt(1 - x ** 2)``."""

    def slope(self, x: NdArray, xp: Xp) -> NdArray:
        return -1 / xp.sqrt(1 - x * x)

    def curve(self, x: Variable) -> Variable:
        return -x / (1 - x * x) ** 1.5


def arccos(x: VariableOrArray) -> Variable:
    """Elementwise inverse cosine.

    .. math:: \\cos y = x, \\quad 0 \\le y \\le \\pi

    Parameters
    ----------
    x : Variable or array
        Floating-point elements between -1 and 1, of any shape; the result is NaN for
        others.

    Returns
    -------
    Variable
        Angles between 0 and ``pi``, of the shape and dtype of ``x``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``x`` is not floating-point.

    See Also
    --------
    chainer_fast.functions.cos
    chainer_fast.functions.arctan
    numpy.arccos

    Examples
    --------
    >>> F.arccos(np.array([1., 0., -1.], np.float32)).array
    array([0.    , 1.5708, 3.1416], dtype=float32)
    """
    return Arccos().apply((x,))[0]


@record(elementwise('arctan', ('Arctan::grad', 0)))
class Arctan(_unary.FloatUfunc):
    """Inverse tangent."""

    label = 'arctan'
    ufunc = 'arctan'

    def gradient(self, x: Variable, gy: Variable) -> Variable:
        return ArctanGrad().apply((x, gy))[0]


class ArctanGrad(_unary.ElementwiseGrad):
    """Gradient of the inverse tangent: ``gy / (1 + x ** 2)``."""

    def slope(self, x: NdArray, xp: Xp) -> NdArray:
        return 1 / (1 + x * x)

    def curve(self, x: Variable) -> Variable:
        r = 1 + x * x
        return x / r / r * -2    # 2 * x may be infinite


def arctan(x: VariableOrArray) -> Variable:
    """Elementwise inverse tangent.

    .. math:: \\tan y = x, \\quad -\\pi / 2 < y < \\pi / 2

    Parameters
    ----------
    x : Variable or array
        Floating-point elements of any shape.

    Returns
    -------
    Variable
        Angles between ``-pi / 2`` and ``pi / 2``, of the shape and dtype of ``x``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``x`` is not floating-point.

    See Also
    --------
    chainer_fast.functions.tan
    chainer_fast.functions.arctan2
    numpy.arctan

    Examples
    --------
    >>> F.arctan(np.array([0., 1.], np.float32)).array
    array([0.    , 0.7854], dtype=float32)
    """
    return Arctan().apply((x,))[0]


class Arctan2(function_node.FunctionNode):
    """Angle of the point ``(x2, x1)``."""

    label = 'arctan2'

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        _checks.floats(in_types, 'x1', 'x2')

    @halves.forward_in_single
    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        ordinate, abscissa = inputs
        self.retain_inputs((0, 1))
        xp = backend.get_array_module(ordinate)
        if ordinate.ndim:
            abscissa = arrays.weak(abscissa, ordinate.dtype)
        elif abscissa.ndim:
            ordinate = arrays.weak(ordinate, abscissa.dtype)
        return utils.force_array(unary.apply(xp.arctan2, ordinate, abscissa)),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        inputs = self.get_retained_inputs()
        gs = Arctan2Grad().apply((*inputs, *grad_outputs))
        return tuple([_gradients.fit(gs[i], self.inputs[i]) for i in indexes])


class Arctan2Grad(function_node.FunctionNode):
    """Gradients of ``arctan2`` before they are summed to the shapes of the inputs.

    With ``r = x1 ** 2 + x2 ** 2`` they are ``x2 * gy / r`` and ``-x1 * gy / r``.
    """

    @halves.forward_in_single
    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        x1, x2, gy = inputs
        self.retain_inputs((0, 1, 2))
        r = x1 * x1 + x2 * x2
        return (utils.force_array(x2 / r * gy, x1.dtype),
                utils.force_array(-x1 / r * gy, x2.dtype))

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        x1, x2, gy = inputs = self.get_retained_inputs()
        u, v = grad_outputs
        r = x1 * x1 + x2 * x2
        # Second derivatives of the angle: d11 = -d22 and d12.
        d11 = -2 * x1 * x2 / (r * r)
        d12 = (x1 * x1 - x2 * x2) / (r * r)
        grads = []
        for i in indexes:
            if i == 0:
                g = _gradients.combine((u, d11), (v, d12)) * gy
            elif i == 1:
                g = _gradients.combine((u, d12), (v, -d11)) * gy
            else:
                g = _gradients.combine((u, x2 / r), (v, -x1 / r))
            grads.append(_gradients.fit(g, inputs[i]))
        return tuple(grads)


def arctan2(x1: VariableOrArray, x2: VariableOrArray) -> Variable:
    """Elementwise angle of the points ``(x2, x1)``.

    .. math:: \\tan y = \\frac{x_1}{x_2}

    Parameters
    ----------
    x1, x2 : Variable or array
        Ordinates and abscissas, floating-point, of shapes that can be broadcast.

    Returns
    -------
    Variable
        Angles between ``-pi`` and ``pi``, of the common shape, in the common dtype of
        the arguments.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If the arguments are not floating-point.
    ValueError
        If the shapes cannot be broadcast.

    See Also
    --------
    chainer_fast.functions.arctan
    numpy.arctan2

    Examples
    --------
    >>> ordinates = np.array([0., 1., 0., -1.], np.float32)
    >>> abscissas = np.array([1., 0., -1., 0.], np.float32)
    >>> F.arctan2(ordinates, abscissas).array
    array([ 0.    ,  1.5708,  3.1416, -1.5708], dtype=float32)
    """
    return Arctan2().apply((x1, x2))[0]
