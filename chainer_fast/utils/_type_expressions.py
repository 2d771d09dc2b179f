"""Expressions of type checks, which can be printed and evaluated.

Part of :mod:`chainer_fast.utils.type_check`; import them from there.
"""
from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, NoReturn

import numpy

_error: Any = None


def bind(error):
    """Set the exception that a failed comparison raises; called at import."""
    global _error
    _error = error


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
    # Without the type, which NumPy 2 adds to the repr of a number.
    return str(v) if isinstance(v, numpy.number) else repr(v)


def _plain(v):
    """Return the text of a value for a failed comparison."""
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

    Python's operators build further expressions; :meth:`eval` computes the value.

    Parameters
    ----------
    priority : int
        Precedence of the outermost operator, which determines the parentheses in the
        text.
    """

    # With this, left operands of NumPy leave the operation to the expression.
    __array_ufunc__ = None
    __hash__ = None

    def __init__(self, priority: int) -> None:
        self.priority = priority

    def eval(self) -> Any:
        """Return the value."""
        raise NotImplementedError(
            '%s does not define eval()' % type(self).__name__)

    def __call__(self, *args: Any) -> Call:
        return Call(self, args)

    def __getattr__(self, name: str) -> GetAttr:
        # Python and NumPy detect what an object supports by its special methods.
        if name.startswith('__') and name.endswith('__'):
            raise AttributeError(name)
        return GetAttr(self, name)

    def __getitem__(self, key: Any) -> GetItem:
        return GetItem(self, key)

    def __bool__(self) -> bool:
        raise RuntimeError(
            'An expression of a type check has no truth value yet. Pass it to '
            'type_check.expect(), or compute its value with type_check.eval().')

    def __iter__(self) -> NoReturn:
        raise TypeError(
            'The length of %s is not known yet. Compute its value with '
            'type_check.eval() to iterate over it.' % (self,))

    def __contains__(self, item: Any) -> bool:
        return bool(self)


class Atom(Expr):
    """An expression that never needs parentheses."""

    def __init__(self) -> None:
        super().__init__(8)


class _Value(Atom):

    def __init__(self, value: Any) -> None:
        super().__init__()
        self.value = value

    def eval(self) -> Any:
        return self.value


class Constant(_Value):
    """A literal value.

    Parameters
    ----------
    value
        The value.
    """

    def __str__(self) -> str:
        return _repr(self.value)


class Variable(_Value):
    """A value with a name.

    Parameters
    ----------
    value
        The value.
    name : str
        Name for messages.
    """

    def __init__(self, value: Any, name: str) -> None:
        super().__init__(value)
        self.name = name

    def __str__(self) -> str:
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

    def __init__(self, obj: Any, name: str) -> None:
        super().__init__()
        self.obj = obj
        self.name = name

    def __str__(self) -> str:
        name = self.name.value if isinstance(self.name, Constant) else self.name
        if isinstance(name, str):
            return '%s.%s' % (self.obj, name)
        return 'getattr(%s, %s)' % (self.obj, _repr(name))

    def eval(self) -> Any:
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

    def __init__(self, obj: Any, key: Any) -> None:
        super().__init__()
        self.obj = obj
        self.key = key

    def __str__(self) -> str:
        return '%s[%s]' % (self.obj, _str_subscript(self.key))

    def eval(self) -> Any:
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
        Arguments of the call.
    """

    def __init__(self, obj: Any, args: Any) -> None:
        super().__init__()
        self.obj = obj
        self.args = args

    def __str__(self) -> str:
        return '%s(%s)' % (self.obj, ', '.join(map(_repr, self.args)))

    def eval(self) -> Any:
        return _eval_expr(self.obj)(*_eval_expr(tuple(self.args)))


class UnaryOperator(Expr):
    """An operator before an expression.

    Parameters
    ----------
    priority : int
        Precedence.
    term : Expr
        The operand.
    exp : str
        The operator.
    func : callable
        Function that computes the value.
    """

    def __init__(
            self, priority: int, term: Any, exp: str,
            func: Callable[..., Any]) -> None:
        super().__init__(priority)
        self.term = term
        self.exp = exp
        self.func = func

    def __str__(self) -> str:
        form = '%s(%s)' if self.term.priority < self.priority else '%s%s'
        return form % (self.exp, self.term)

    def eval(self) -> Any:
        return self.func(_eval_expr(self.term))


class BinaryOperator(Expr):
    """An operator between two values, of which at least one is an expression.

    Parameters
    ----------
    priority : int
        Precedence.
    lhs, rhs
        The operands.
    exp : str
        The operator.
    func : callable
        Function that computes the value.
    right_associative : bool
        Whether ``x . y . z`` means ``x . (y . z)``.
    """

    def __init__(
            self, priority: int, lhs: Any, rhs: Any, exp: str,
            func: Callable[..., Any], right_associative: bool = False) -> None:
        super().__init__(priority)
        self.lhs, self.rhs = lhs, rhs
        self.exp, self.func = exp, func
        self.right_associative: bool = right_associative

    def _operand(self, value, is_right):
        text = _repr(value)
        if not isinstance(value, Expr) or value.priority > self.priority:
            return text
        chains = is_right == self.right_associative
        if value.priority == self.priority and chains:
            return text
        return '(%s)' % text

    def __str__(self) -> str:
        return '%s %s %s' % (
            self._operand(self.lhs, False), self.exp, self._operand(self.rhs, True))

    def _values(self):
        return _eval_expr((self.lhs, self.rhs))

    def eval(self) -> Any:
        return self.func(*self._values())


class Testable:
    """Base of conditions that :func:`expect` checks."""

    __test__ = False  # not a test case, despite the name

    def expect(self) -> None:
        """Raise :class:`InvalidType` unless the condition is true."""
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
        The inverse operator.
    func : callable
        Function that compares the values.
    """

    def __init__(
            self, lhs: Any, rhs: Any, exp: str, inv: str,
            func: Callable[..., Any]) -> None:
        super().__init__(-1, lhs, rhs, exp, func)
        self.inv = inv

    def expect(self) -> None:
        left, right = self._values()
        if not self.func(left, right):
            raise _error(*[
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

    # In order of precedence, lowest first. Comparisons have the lowest precedence.
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
