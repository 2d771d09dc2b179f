"""Checks of the types and shapes of a function's inputs.

``check_type_forward`` of a function defines the conditions on its inputs::

    type_check.expect(x_type.dtype.kind == 'f', x_type.ndim == 2)

An error message should include more than ``False``. In the full mode, ``x_type`` is
therefore an :class:`Expr`, and comparing it builds an expression that can be printed
and evaluated. Since building expressions is far slower than comparing two integers,
functions first run their checks in the light mode, in which ``x_type`` is the array
itself and all operators are Python's own. Only a failed check is repeated in the full
mode for its message.
"""
from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

import numpy

from chainer_fast.backends.arrays import get_array_types
from chainer_fast.types import DTypeSpec, NdArray
from chainer_fast.utils import _type_expressions
from chainer_fast.utils._type_expressions import (
    Atom,
    BinaryOperator,
    BoolBinaryOperator,
    Call,
    Constant,
    Expr,
    GetAttr,
    GetItem,
    Testable,
    UnaryOperator,
    Variable,
    _eval_expr,  # noqa: F401
    _repr,  # noqa: F401
)

if TYPE_CHECKING:
    from chainer_fast.function_node import FunctionNode

__all__ = [
    'Atom', 'BinaryOperator', 'BoolBinaryOperator', 'Call', 'Constant', 'Expr',
    'GetAttr', 'GetItem', 'InvalidType', 'LightMode', 'LightTypeInfoTuple', 'Testable',
    'TypeInfo', 'TypeInfoTuple', 'UnaryOperator', 'Variable', 'eval', 'expect',
    'expect_broadcast_shapes', 'get_function_check_context',
    'get_light_types', 'get_types', 'in_light_mode', 'light_mode', 'make_variable',
    'prod', 'same_types']


class InvalidType(Exception):
    """Error for an input of the wrong type or shape.

    Parameters
    ----------
    expect : str
        Expected condition.
    actual : str
        Actual values.
    msg : str, optional
        Message to use instead of the one composed of both.

    See Also
    --------
    chainer_fast.utils.type_check.expect

    Examples
    --------
    >>> try:
    ...     F.matmul(np.ones((2, 3)), np.ones((2, 3)))
    ... except chainer.utils.type_check.InvalidType as error:
    ...     print(error.expect, 'but', error.actual)
    a.shape[-1] == b.shape[-2] but 3 != 2
    """

    expect: str
    actual: str

    def __init__(self, expect: str, actual: str, msg: str | None = None) -> None:
        super().__init__(_explain(expect, actual) if msg is None else msg)
        self.expect, self.actual = expect, actual

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.expect, self.actual, self.args[0])

    def _tell(self, line, old):
        """Insert a line before the message, or replace a previous line.

        Programs search for the whole text of the message and for its last lines.
        """
        told = self.__dict__.setdefault('_told', [])
        text = self.args[0].removeprefix('\n'.join(told))
        if old in told:
            told[told.index(old)] = line
        else:
            told.append(line)
        if not text.startswith('\n'):
            text = '\n' + text
        self.args = ('\n'.join(told) + text,)


def _explain(expect, actual):
    lines = ['Expect: %s' % expect, 'Actual: %s' % actual]
    function = _thread_local.current_function
    if function is not None:
        lines[:0] = [
            '', 'Invalid operation is performed in: %s (Forward)' % function.label, '']
    return '\n'.join(lines)


_type_expressions.bind(InvalidType)


# Modes
#

class _State(threading.local):
    light_mode = False
    current_function = None


_thread_local = _State()


class LightMode:
    """Context manager in which checks use arrays instead of expressions."""

    def __enter__(self) -> None:
        _thread_local.light_mode = True

    def __exit__(
            self, _type: type[BaseException] | None, _value: BaseException | None,
            _traceback: Any) -> None:
        _thread_local.light_mode = False


light_mode: LightMode = LightMode()


def in_light_mode() -> bool:
    """Return whether the running thread is in the light mode."""
    return _thread_local.light_mode


class _FunctionCheckContext:
    __slots__ = ('_function', '_outer')

    def __init__(self, function) -> None:
        self._function = function

    def __enter__(self) -> None:
        self._outer = _thread_local.current_function
        _thread_local.current_function = self._function

    def __exit__(self, *exc_info: object) -> None:
        _thread_local.current_function = self._outer


def get_function_check_context(f: FunctionNode) -> AbstractContextManager[None]:
    """Return a context manager in which failed checks name the function ``f``.

    Parameters
    ----------
    f : FunctionNode
        Function whose inputs are checked; its ``label`` is part of the messages.
    """
    return _FunctionCheckContext(f)


# Properties of arrays
#

class TypeInfo:
    """Shape and dtype of an array.

    Parameters
    ----------
    shape : tuple of int
        Lengths of the axes.
    dtype : numpy.dtype or None
        Type of the elements; None for a missing input.
    """

    shape: tuple[int, ...]
    dtype: DTypeSpec | None

    def __init__(self, shape: tuple[int, ...], dtype: DTypeSpec | None) -> None:
        self.ndim: int = len(shape)
        self.shape, self.dtype = shape, dtype

    @property
    def size(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)


class TypeInfoTuple(tuple):
    """Expressions for the inputs of a function, with a ``name`` for messages."""

    name: str

    def size(self) -> Any:
        """Return an expression for the number of inputs."""
        return Variable(len(self), self.name + '.size')


class LightTypeInfoTuple(tuple):
    """Arrays given to a function, or :class:`TypeInfo` of them."""

    def size(self) -> int:
        """Return the number of inputs."""
        return len(self)


def get_types(
        data: tuple[NdArray, ...], name: str, accept_none: bool, *,
        shapes: Sequence[tuple[Any, ...]] | None = None) -> TypeInfoTuple:
    """Return expressions for the types of arrays.

    Parameters
    ----------
    data : tuple of array
        The arrays. None is allowed only with ``accept_none``.
    name : str
        Name of the tuple in messages.
    accept_none : bool
        Whether an array may be missing; it then has an empty shape and no dtype.
    shapes : sequence of tuple, optional
        Shapes to use instead of those of the arrays.

    Returns
    -------
    TypeInfoTuple
        Types of the arrays.
    """
    _check_tuple(data)
    if shapes is None:
        shapes = [None if x is None else x.shape for x in data]
    found = []
    for x, shape in zip(data, shapes, strict=False):
        found.append(_get_type(name, len(found), x, accept_none, shape))
    types = TypeInfoTuple(found)
    types.name = name
    return types


def get_light_types(
        data: tuple[NdArray, ...], *,
        shapes: Sequence[tuple[Any, ...]] | None = None) -> Any:
    """Return the substitutes for the types of arrays in the light mode.

    Parameters
    ----------
    data : tuple of array
        The arrays.
    shapes : sequence of tuple, optional
        Shapes to use instead of those of the arrays.

    Returns
    -------
    LightTypeInfoTuple
        The arrays themselves, unless ``shapes`` is given.
    """
    _check_tuple(data)
    if shapes is None:
        return LightTypeInfoTuple(data)
    return LightTypeInfoTuple([
        None if x is None else TypeInfo(shape, x.dtype)
        for x, shape in zip(data, shapes, strict=False)])


def _check_tuple(data):
    assert isinstance(data, tuple), 'expected a tuple of arrays, got %s' % type(data)


def _get_type(name, index, array, accept_none, shape):
    label = '%s[%d]' % (name, index)
    if array is None:
        assert accept_none, '%s is None, an array is expected' % (label,)
        return Variable(TypeInfo((), None), label)
    assert isinstance(array, get_array_types()), (
        '%s is expected to be an array, not %s' % (label, type(array)))
    dtype = array.dtype
    if not dtype.isnative:
        # Arrays from files often have another byte order, which counts as the same
        # type.
        dtype = dtype.newbyteorder('=')
    return Variable(TypeInfo(shape, dtype), label)


def same_types(*arrays: Any) -> bool:
    """Return whether all arguments are arrays of one library, including subclasses."""
    for array in arrays:
        if type(array) is not numpy.ndarray:
            break
    else:
        return True
    return any(
        all(isinstance(array, cls) for array in arrays) for cls in get_array_types())


# Checks
#

def expect(*bool_exprs: Any) -> None:
    """Check conditions.

    Parameters
    ----------
    *bool_exprs
        Comparisons of expressions; in the light mode, truth values. True is accepted in
        both modes.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If a condition is not met.

    Examples
    --------
    In a user-defined function:

    >>> class Square(chainer.FunctionNode):
    ...     def check_type_forward(self, in_types):
    ...         type_check = chainer.utils.type_check
    ...         type_check.expect(in_types.size() == 1)
    ...         type_check.expect(in_types[0].dtype.kind == 'f', in_types[0].ndim == 2)
    """
    for condition in bool_exprs:
        if condition is True:
            continue
        if _thread_local.light_mode:
            if not condition:
                # The check will be repeated, so this message is not shown.
                raise InvalidType('', '')
        else:
            assert isinstance(condition, Testable), (
                'a comparison of expressions is expected, not %r: wrap the values '
                'that are compared with type_check.make_variable()' % (condition,))
            condition.expect()


def expect_broadcast_shapes(*shape_types: Any) -> None:
    """Check that shapes can be broadcast together.

    Parameters
    ----------
    *shape_types : Expr or tuple of int
        Shapes: expressions, or tuples in the light mode.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If the shapes cannot be broadcast.
    """
    shapes = [eval(shape) for shape in shape_types]
    if all(shape == shapes[0] for shape in shapes):
        return
    try:
        numpy.broadcast_shapes(*shapes)
    except ValueError:
        lines = ['%s = %s' % pair for pair in zip(shape_types, shapes, strict=True)]
        raise InvalidType('', '', '\n'.join(
            ['cannot broadcast inputs of the following shapes:', *lines])) from None


def eval(exp: Any) -> Any:
    """Return the value of an expression.

    Parameters
    ----------
    exp : Expr
        The expression; in the light mode, any value, which is returned unchanged.

    Returns
    -------
    object
        The value.
    """
    if _thread_local.light_mode:
        return exp
    return exp.eval()


def make_variable(value: Any, name: str) -> Any:
    """Name a value in messages.

    Parameters
    ----------
    value
        The value.
    name : str
        Name of the value.

    Returns
    -------
    Variable
        The variable; in the light mode, ``value`` itself.
    """
    if _thread_local.light_mode:
        return value
    return Variable(value, name)


def _prod_impl(xs):
    return math.prod(xs)


_prod = Variable(_prod_impl, 'prod')


def prod(xs: Any) -> Any:
    """Return the product of integers, an expression outside of the light mode.

    Parameters
    ----------
    xs : Expr or sequence of int
        The factors.
    """
    if _thread_local.light_mode:
        return math.prod(xs)
    return _prod(xs)


def _argname(in_types, names):
    """Set the names of the inputs of a function in messages.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If the numbers of inputs and names differ.
    """
    if len(in_types) != len(names):
        raise InvalidType(
            '%d argument(s)' % len(names), '%d argument(s)' % len(in_types),
            'Invalid number of arguments')
    if type(in_types) is LightTypeInfoTuple or _thread_local.light_mode:
        return
    for in_type, name in zip(in_types, names, strict=True):
        in_type.name = name
