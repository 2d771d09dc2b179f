"""Checks of the types and shapes that a function is given.

``check_type_forward`` of a function states what it expects of its inputs::

    type_check.expect(x_type.dtype.kind == 'f', x_type.ndim == 2)

A message should tell more than ``False``. In the full mode ``x_type`` is therefore an
:class:`Expr`, and comparing it makes an expression that can be printed as well as
evaluated. Making expressions costs far more than comparing two integers, so functions
run their checks in the light mode first, where ``x_type`` is the array itself and all
the operators are Python's own. Only a failed check is run again in the full mode, to
explain itself.
"""
import math
import operator
import threading

import numpy

from chainer_fast.backends import cuda


class _State(threading.local):
    light_mode = False
    current_function = None


_thread_local = _State()


# Modes
#

class LightMode:
    """Context manager in which checks work on arrays instead of expressions."""

    def __enter__(self):
        _thread_local.light_mode = True

    def __exit__(self, _type, _value, _traceback):
        _thread_local.light_mode = False


light_mode = LightMode()


def in_light_mode():
    """Return whether the running thread is in the light mode."""
    return _thread_local.light_mode


class _FunctionCheckContext:
    __slots__ = ('_function', '_outer')

    def __init__(self, function):
        self._function = function

    def __enter__(self):
        self._outer = _thread_local.current_function
        _thread_local.current_function = self._function

    def __exit__(self, *exc_info):
        _thread_local.current_function = self._outer


def get_function_check_context(f):
    """Return a context manager in which failed checks name the function ``f``.

    Parameters
    ----------
    f : FunctionNode
        Function whose inputs are checked; its ``label`` is put in the messages.
    """
    return _FunctionCheckContext(f)


# What is known of an array
#

class TypeInfo:
    """Shape and dtype of an array.

    Parameters
    ----------
    shape : tuple of int
        Lengths of the axes.
    dtype : numpy.dtype or None
        Type of the elements; None for an input that is missing.
    """

    def __init__(self, shape, dtype):
        self.ndim = len(shape)
        self.shape, self.dtype = shape, dtype

    @property
    def size(self):
        """Number of elements."""
        return math.prod(self.shape)


class TypeInfoTuple(tuple):
    """Expressions for the inputs of a function, with a ``name`` for messages."""

    def size(self):
        """Return an expression for the number of inputs."""
        return Variable(len(self), self.name + '.size')


class LightTypeInfoTuple(tuple):
    """Arrays given to a function, or :class:`TypeInfo` of them."""

    def size(self):
        """Return the number of inputs."""
        return len(self)


def get_types(data, name, accept_none, *, shapes=None):
    """Return expressions for the types of arrays.

    Parameters
    ----------
    data : tuple of array
        The arrays; None among them needs ``accept_none``.
    name : str
        Name of the tuple in messages.
    accept_none : bool
        Whether an array may be missing; it then has an empty shape and no dtype.
    shapes : sequence of tuple, optional
        Shapes to use in place of the arrays' own.

    Returns
    -------
    TypeInfoTuple
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


def get_light_types(data, *, shapes=None):
    """Return what stands for the types of arrays in the light mode.

    Parameters
    ----------
    data : tuple of array
        The arrays.
    shapes : sequence of tuple, optional
        Shapes to use in place of the arrays' own.

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
        assert accept_none, '%s is None, an array is expected' % label
        return Variable(TypeInfo((), None), label)
    assert isinstance(array, _array_types), (
        '%s is expected to be an array, not %s' % (label, type(array)))
    return Variable(TypeInfo(shape, array.dtype), label)


def _make_variable_from_array(array, name):
    if not isinstance(array, _array_types):
        raise InvalidType(
            'isinstance(%s, ndarray)' % name, 'type(%s) == %s' % (name, type(array)))
    return Variable(TypeInfo(array.shape, array.dtype), name)


_array_types = (numpy.ndarray, cuda.ndarray)


def same_types(*arrays):
    """Return whether all arguments are arrays of one library, subclasses included."""
    for array in arrays:
        if type(array) is not numpy.ndarray:
            break
    else:
        return True
    return any(
        all(isinstance(array, cls) for array in arrays) for cls in _array_types)


# Expressions
#

def _repr(v):
    """Return the text of an expression, or of a value with expressions in it."""
    if isinstance(v, Expr):
        return str(v)
    if isinstance(v, list):
        return '[%s]' % ', '.join(map(_repr, v))
    if isinstance(v, tuple):
        if len(v) == 1:
            return '(%s,)' % _repr(v[0])
        return '(%s)' % ', '.join(map(_repr, v))
    # Without the type that NumPy 2 adds to the text of a number.
    return str(v) if isinstance(v, numpy.number) else repr(v)


def _plain(v):
    """Return the text of a value as a failed comparison shows it."""
    return _repr(v) if isinstance(v, (list, tuple)) else str(v)


def _eval_expr(v):
    """Evaluate an expression, or the expressions in a list, a tuple or a slice."""
    if isinstance(v, Expr):
        return v.eval()
    if isinstance(v, list):
        return [_eval_expr(x) for x in v]
    if isinstance(v, tuple):
        return tuple([_eval_expr(x) for x in v])
    if isinstance(v, slice):
        return slice(*[_eval_expr(x) for x in (v.start, v.stop, v.step)])
    return v


class Expr:
    """A value that is known only when the check is evaluated.

    The operators of Python make further expressions; :meth:`eval` computes.

    Parameters
    ----------
    priority : int
        How tightly the outermost operator binds; decides on parentheses in the text.
    """

    # An operand of NumPy on the left leaves the operation to the expression.
    __array_ufunc__ = None
    __hash__ = None

    def __init__(self, priority):
        self.priority = priority

    def eval(self):
        """Return the value."""
        raise NotImplementedError(
            '%s does not define eval()' % type(self).__name__)

    def __call__(self, *args):
        return Call(self, args)

    def __getattr__(self, name):
        # Python and NumPy look for special methods to see what an object can do.
        if name.startswith('__') and name.endswith('__'):
            raise AttributeError(name)
        return GetAttr(self, name)

    def __getitem__(self, key):
        return GetItem(self, key)

    def __bool__(self):
        raise RuntimeError(
            'An expression of a type check has no truth value yet. Give it to '
            'type_check.expect(), or take its value with type_check.eval().')

    def __iter__(self):
        raise TypeError(
            'The length of %s is not known yet. Take its value with '
            'type_check.eval() to iterate over it.' % self)

    def __contains__(self, item):
        return bool(self)


class Atom(Expr):
    """An expression that never needs parentheses."""

    def __init__(self):
        super().__init__(8)


class _Value(Atom):

    def __init__(self, value):
        super().__init__()
        self.value = value

    def eval(self):
        return self.value


class Constant(_Value):
    """A literal value.

    Parameters
    ----------
    value
        The value.
    """

    def __str__(self):
        return _repr(self.value)


class Variable(_Value):
    """A value with a name.

    Parameters
    ----------
    value
        The value.
    name : str
        What messages call it.
    """

    def __init__(self, value, name):
        super().__init__(value)
        self.name = name

    def __str__(self):
        return self.name


class GetAttr(Atom):
    """An attribute of an expression.

    Parameters
    ----------
    obj : Expr
        The object.
    name : str or Constant
        Name of the attribute.
    """

    def __init__(self, obj, name):
        super().__init__()
        self.obj = obj
        self.name = name

    def __str__(self):
        name = self.name.value if isinstance(self.name, Constant) else self.name
        if isinstance(name, str):
            return '%s.%s' % (self.obj, name)
        return 'getattr(%s, %s)' % (self.obj, _repr(name))

    def eval(self):
        return getattr(_eval_expr(self.obj), _eval_expr(self.name))


class GetItem(Atom):
    """An element of an expression.

    Parameters
    ----------
    obj : Expr
        The container.
    key
        Index, key or slice, or a tuple of them.
    """

    def __init__(self, obj, key):
        super().__init__()
        self.obj = obj
        self.key = key

    def __str__(self):
        return '%s[%s]' % (self.obj, _str_subscript(self.key))

    def eval(self):
        return _eval_expr(self.obj)[_eval_expr(self.key)]


def _str_subscript(key):
    if isinstance(key, tuple):
        return ', '.join(map(_str_subscript, key))
    if key is Ellipsis:
        return '...'
    if not isinstance(key, slice):
        return _repr(key)
    parts = [key.start, key.stop]
    if key.step is not None:
        parts.append(key.step)
    return ':'.join(['' if part is None else _repr(part) for part in parts])


class Call(Atom):
    """A call of an expression.

    Parameters
    ----------
    obj : Expr
        The function.
    args : tuple
        Its arguments.
    """

    def __init__(self, obj, args):
        super().__init__()
        self.obj = obj
        self.args = args

    def __str__(self):
        return '%s(%s)' % (self.obj, ', '.join(map(_repr, self.args)))

    def eval(self):
        return _eval_expr(self.obj)(*_eval_expr(tuple(self.args)))


class UnaryOperator(Expr):
    """An operator before an expression.

    Parameters
    ----------
    priority : int
        How tightly it binds.
    term : Expr
        The operand.
    exp : str
        The operator.
    func : callable
        What computes the value.
    """

    def __init__(self, priority, term, exp, func):
        super().__init__(priority)
        self.term = term
        self.exp = exp
        self.func = func

    def __str__(self):
        form = '%s(%s)' if self.term.priority < self.priority else '%s%s'
        return form % (self.exp, self.term)

    def eval(self):
        return self.func(_eval_expr(self.term))


class BinaryOperator(Expr):
    """An operator between two values, of which at least one is an expression.

    Parameters
    ----------
    priority : int
        How tightly it binds.
    lhs, rhs
        The operands.
    exp : str
        The operator.
    func : callable
        What computes the value.
    right_associative : bool
        Whether ``x . y . z`` means ``x . (y . z)``.
    """

    def __init__(self, priority, lhs, rhs, exp, func, right_associative=False):
        super().__init__(priority)
        self.lhs, self.rhs = lhs, rhs
        self.exp, self.func = exp, func
        self.right_associative = right_associative

    def _operand(self, value, is_right):
        text = _repr(value)
        if not isinstance(value, Expr) or value.priority > self.priority:
            return text
        chains = is_right == self.right_associative
        if value.priority == self.priority and chains:
            return text
        return '(%s)' % text

    def __str__(self):
        return '%s %s %s' % (
            self._operand(self.lhs, False), self.exp, self._operand(self.rhs, True))

    def _values(self):
        return _eval_expr((self.lhs, self.rhs))

    def eval(self):
        return self.func(*self._values())


class Testable:
    """What :func:`expect` takes."""

    __test__ = False  # not a test case, whatever pytest makes of the name

    def expect(self):
        """Raise :class:`InvalidType` unless the condition holds."""
        raise NotImplementedError(
            '%s does not define expect()' % type(self).__name__)


class BoolBinaryOperator(BinaryOperator, Testable):
    """A comparison.

    Parameters
    ----------
    lhs, rhs
        The operands.
    exp : str
        The operator.
    inv : str
        The operator that holds exactly when this one does not.
    func : callable
        What compares.
    """

    def __init__(self, lhs, rhs, exp, inv, func):
        super().__init__(-1, lhs, rhs, exp, func)
        self.inv = inv

    def expect(self):
        left, right = self._values()
        if not self.func(left, right):
            raise InvalidType(*[
                '%s %s %s' % (_plain(a), sign, _plain(b)) for a, sign, b in (
                    (self.lhs, self.exp, self.rhs), (left, self.inv, right))])


def _define_operators():
    def binary(symbol, priority, func, right_associative=False):
        def straight(x, y):
            return BinaryOperator(priority, x, y, symbol, func, right_associative)

        def reflected(x, y):
            return BinaryOperator(priority, y, x, symbol, func, right_associative)
        return straight, reflected

    def comparison(symbol, inverse, func):
        return lambda x, y: BoolBinaryOperator(x, y, symbol, inverse, func)

    def unary(symbol, priority, func):
        return lambda x: UnaryOperator(priority, x, symbol, func)

    # By how tightly they bind, from the loosest on. Comparisons are looser than all.
    binaries = [
        {'or': '|'}, {'xor': '^'}, {'and': '&'}, {'lshift': '<<', 'rshift': '>>'},
        {'add': '+', 'sub': '-'},
        {'mul': '*', 'truediv': '/', 'floordiv': '//', 'mod': '%'},
        {}, {'pow': '**'}]
    for priority, group in enumerate(binaries):
        for name, symbol in group.items():
            func = getattr(operator, '__%s__' % name)
            straight, reflected = binary(symbol, priority, func, name == 'pow')
            setattr(Expr, '__%s__' % name, straight)
            setattr(Expr, '__r%s__' % name, reflected)
    for name, symbol in {'neg': '-', 'pos': '+', 'invert': '~'}.items():
        setattr(Expr, '__%s__' % name, unary(symbol, 6, getattr(operator, name)))
    for pair in ({'eq': '==', 'ne': '!='}, {'lt': '<', 'ge': '>='},
                 {'gt': '>', 'le': '<='}):
        for (name, symbol), inverse in zip(
                pair.items(), reversed(pair.values()), strict=True):
            setattr(Expr, '__%s__' % name,
                    comparison(symbol, inverse, getattr(operator, name)))


_define_operators()


# Checks
#

class InvalidType(Exception):
    """A function is given an input that it does not take.

    Parameters
    ----------
    expect : str
        What is expected.
    actual : str
        What is there instead.
    msg : str, optional
        Message in place of the one made of the two.
    """

    def __init__(self, expect, actual, msg=None):
        super().__init__(_explain(expect, actual) if msg is None else msg)
        self.expect, self.actual = expect, actual

    def __reduce__(self):
        return type(self), (self.expect, self.actual, self.args[0])


def _explain(expect, actual):
    lines = ['Expect: %s' % expect, 'Actual: %s' % actual]
    function = _thread_local.current_function
    if function is not None:
        lines[:0] = [
            '', 'Invalid operation is performed in: %s (Forward)' % function.label, '']
    return '\n'.join(lines)


def expect(*bool_exprs):
    """Check conditions.

    Parameters
    ----------
    *bool_exprs
        Comparisons of expressions; in the light mode, truth values. What is True
        anyway is all right in both.

    Raises
    ------
    InvalidType
        If a condition does not hold.
    """
    for condition in bool_exprs:
        if condition is True:
            continue
        if _thread_local.light_mode:
            if not condition:
                # The check is going to be repeated; nobody reads this one.
                raise InvalidType('', '')
        else:
            assert isinstance(condition, Testable), (
                'a comparison of expressions is expected, not %r: wrap the values '
                'that are compared with type_check.make_variable()' % (condition,))
            condition.expect()


def expect_broadcast_shapes(*shape_types):
    """Check that shapes can be broadcast together.

    Parameters
    ----------
    *shape_types : Expr or tuple of int
        Shapes: expressions, or tuples in the light mode.

    Raises
    ------
    InvalidType
        If they cannot.
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


def eval(exp):
    """Return the value of an expression.

    Parameters
    ----------
    exp : Expr
        The expression; in the light mode, anything, which is returned as it is.
    """
    if _thread_local.light_mode:
        return exp
    return exp.eval()


def make_variable(value, name):
    """Give a value the name that messages call it.

    Parameters
    ----------
    value
        The value.
    name : str
        Its name.

    Returns
    -------
    Variable
        In the light mode, ``value`` itself.
    """
    if _thread_local.light_mode:
        return value
    return Variable(value, name)


def _prod_impl(xs):
    return math.prod(xs)


_prod = Variable(_prod_impl, 'prod')


def prod(xs):
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
    """Give the inputs of a function their own names in messages.

    Raises
    ------
    InvalidType
        If there are more or fewer inputs than names.
    """
    if len(in_types) != len(names):
        raise InvalidType(
            '%d argument(s)' % len(names), '%d argument(s)' % len(in_types),
            'Invalid number of arguments')
    if type(in_types) is LightTypeInfoTuple or _thread_local.light_mode:
        return
    for in_type, name in zip(in_types, names, strict=True):
        in_type.name = name
