"""The language in which kernels declare their arguments.

``x:E(*,m) t:E(*,m) g:E(*,m)|E(*,1) delta:c>0 -> gx:E(*,m)`` accepts three arrays of one
float type and a positive number, and returns an array.

Types
    ``F`` are floats and doubles, ``E`` also halves, which are computed in single
    precision and rounded once. All arrays of a call have one type, but for ``label``,
    integers of 32 or 64 bits, and ``class``, such integers from zero up to the number
    of columns.
Shapes
    ``*`` means any number of axes, a letter for one axis, ``1`` for an axis of length
    one, and ``2n`` for an axis twice as long as ``n``; all arrays share the lengths of
    axes. The first array has all of them. Those
    before the last symbol are rows, and the last one is columns; columns after a comma,
    and those of a shape of one symbol, are independent of each other, while columns
    after a semicolon belong to a row as a whole. ``|`` separates two shapes that an
    array may have; the first has priority.
Axes
    ``axis:axis`` is an axis, and ``axis:axes`` a tuple of adjacent ones, or None for
    all: it is the second of three symbols, as in ``x:F(before;n;behind)``. The others
    are the axes before and after, if any. ``axis:others`` names all axes but those in
    the middle, and ``axis=1`` is not an argument but a constant: the axis of the
    channels of images. Arrays with another order of axes in memory are read in that
    order; of images, those with the channels last. If an array has only the axes before
    and after, these must be in order.
Numbers
    ``c`` is a number of Python or NumPy, perhaps with a bound such as ``c>0``; ``i`` an
    integer of Python below 2**31 in size; ``b`` a truth value. ``none`` is None: the
    reference is used for everything else.
"""
from __future__ import annotations

import re
import typing as tp

ARRAY = re.compile(r'(\w+):([FE]\(.*|label\(.*|class\(.*)')
NUMBER = re.compile(
    r'(\w+):(axis|axes|others|none|[cib])(?:(>=?)(-?\d+(?:\.\d+)?))?')
SHAPE = re.compile(r'(F|E|label|class)\(([^()]*)\)')


class Array(tp.NamedTuple):
    """An array of a signature.

    Attributes
    ----------
    name : str
    type : str
        ``'F'``, ``'E'``, ``'label'`` or ``'class'``.
    shapes : tuple of tuple of str
        The symbols of each shape that it may have.
    """

    name: str
    type: str
    shapes: tuple[tuple[str, ...], ...]


class Number(tp.NamedTuple):
    """A number of a signature, or axes.

    If ``over``, it must be greater than its least value.
    """

    name: str
    type: str
    least: float | None
    over: bool


class Signature(tp.NamedTuple):
    """Arguments and outputs of a kernel.

    Attributes
    ----------
    arguments : tuple of Array or Number
        In the order of a call.
    outputs : tuple of Array
    whole_rows : bool
        Whether the columns of a row belong together.
    axis : int or None
        The axis of the second symbol, if it is not an argument.
    """

    arguments: tuple[Array | Number, ...]
    outputs: tuple[Array, ...]
    whole_rows: bool
    axis: int | None

    @property
    def inputs(self) -> tuple[Array, ...]:
        return tuple(each for each in self.arguments if isinstance(each, Array))

    @property
    def numbers(self) -> tuple[Number, ...]:
        return tuple(each for each in self.arguments if isinstance(each, Number))


def _array(name, text):
    found = [SHAPE.fullmatch(each) for each in text.split('|')]
    types, shapes = zip(*[each.groups() for each in found if each], strict=True)
    if len({*types}) != 1 or None in found:
        raise ValueError('%s has several types in %r, or none' % (name, text))
    return Array(name, types[0], tuple([
        tuple(re.split('[,;]', shape)) if shape else () for shape in shapes]))


def _argument(text):
    number = NUMBER.fullmatch(text)
    if number:
        name, type_, bound, least = number.groups()
        return Number(name, type_, float(least) if bound else None, bound == '>')
    array = ARRAY.fullmatch(text)
    if array is None:
        raise ValueError(
            '%r is neither an array nor a number of a signature' % (text,))
    return _array(*array.groups())


def read(text: str) -> Signature:
    """Parse a signature.

    Raises
    ------
    ValueError
        If it is not a signature, or if the first array does not have all
        symbols.
    """
    left, _, right = text.partition('->')
    fixed = re.search(r' axis=(\d+)', left)
    if fixed:
        left = left.replace(fixed[0], '')
    signature = Signature(
        tuple([_argument(each) for each in left.split()]),
        tuple([_argument(each) for each in right.split()]), ';' in text,
        int(fixed[1]) if fixed else None)
    symbols = {*signature.inputs[0].shapes[0], '1'}
    for array in (*signature.inputs, *signature.outputs):
        for shape in array.shapes:
            if not symbols.issuperset([each.removeprefix('2') for each in shape]):
                raise ValueError('%s has other symbols than the first array in %r' % (
                    array.name, text))
    return signature
