"""Checks of arguments that no longer exist."""
import ast
import inspect
from typing import Any

from chainer_fast._help import mistakes
from chainer_fast._help.command.check import packages
from chainer_fast._help.command.check.entries import entries, idiom
from chainer_fast._help.command.check.inference import NAME, OBJECT, OWN
from chainer_fast._help.command.check.old_calls import POSITIONS


class ArgumentChecks:
    """Checks of calls, for the checker of a module."""

    inference: Any
    report: Any
    scope: Any
    written_for: Any

    @staticmethod
    def is_hook(name):
        """Return whether a class's objects are hooks of optimizers."""
        return hasattr(packages.find(name), 'call_for_each_param')

    def _check_Call(self, node, scope):
        function = node.func
        for value in self.inference.values(function, scope):
            if value.kind == NAME:
                name = self.today(value.what)
                self._arguments(node, name, entries().arguments(name),
                                packages.parameters(packages.find(name)))
            elif value.kind == OBJECT:
                self._method(node, value.what, '__call__')
            elif value.kind == OWN:
                self._own_method(node, value.what, '__call__')
        if isinstance(function, ast.Attribute):
            for value in self.inference.values(function.value, scope):
                if value.kind == OBJECT:
                    self._method(node, value.what, function.attr)
                elif value.kind == OWN:
                    if self._own_method(node, value.what, function.attr):
                        break
                elif value.kind == NAME and function.attr == '__init__':
                    self._arguments(node, value.what, entries().arguments(value.what),
                                    packages.parameters(packages.find(value.what)), 1)

    @staticmethod
    def today(name):
        """Return a name, corrected for links that were once among the functions."""
        entry = entries().name(name)
        if entry is None or not name.startswith('chainer.functions.'):
            return name
        today = entry.instead.removeprefix('write ')
        return today if today.startswith('chainer.links.') else name

    def _own_method(self, node, info, name):
        """Check a call of a method that a class of the source inherits.

        Return whether a class of the source defines it.
        """
        for klass in self.inference.family(info):
            if isinstance(klass, str):
                self._method(node, klass, name)
            elif name in klass.attributes or (
                    name == '__call__' and 'forward' in klass.attributes):
                return True
        return False

    def _method(self, node, owner, name):
        """Check a call of a method of a class with a full name."""
        if name == '__init__':
            self._arguments(node, owner, entries().arguments(owner),
                            packages.parameters(packages.find(owner)))
            return
        gone = entries().method_arguments(owner, name)
        found = packages.find(owner)
        is_public = owner.startswith('chainer') and '._' not in owner
        if is_public and isinstance(found, type) and name != '__new__' and any(
                name in vars(klass) for klass in found.__mro__):
            if name == '__call__' and issubclass(found, packages.find('chainer.Link')):
                name = 'forward'
            static = inspect.getattr_static(found, name, None)
            if not isinstance(static, (staticmethod, classmethod)):
                given = packages.parameters(getattr(found, name, None), 1)
                self._arguments(node, '%s.%s' % (
                    owner, '__call__' if name == 'forward' else name), gone, given)

    def _arguments(self, node, name, gone, given, skip=0):
        """Report arguments of a call that no longer exist or that the callable lacks.

        The first ``skip`` positional arguments are not counted.
        """
        for keyword in node.keywords:
            if keyword.arg in gone:
                self.report(node, gone[keyword.arg], argument=keyword.arg)
            elif keyword.arg and given is not None and name.startswith('chainer') \
                    and not packages.takes(given, keyword.arg):
                self.report(node, what='%s(%s=)' % (name, keyword.arg),
                            instead=_what_it_takes(given, keyword.arg),
                            argument=keyword.arg)
        if given is not None and name.startswith(('chainer', 'matplotlib.')):
            places, is_open = packages.positional(given)
            self._positions(node, name, gone, places, is_open, skip)

    def _positions(self, node, name, gone, places, is_open, skip):
        """Report arguments by their position."""
        old = POSITIONS.get(name, {})
        if any(isinstance(argument, ast.Starred) for argument in node.args):
            return
        arguments = node.args[skip:]
        # Only calls for version 1 can have that many.
        are_many = len(arguments) > len(places) and not is_open
        is_old = 'v1' in self.written_for or are_many or any(
            old.get(place) in gone and self._is_misplaced(argument, parameter)
            for place, (argument, parameter) in enumerate(
                zip(arguments, places, strict=False)))
        is_reported = False
        for place in range(len(arguments)):
            entry = gone.get(old.get(place))
            if entry is not None and is_old:
                self.report(node, entry, argument=old[place], position=place + skip)
                is_reported = True
        if are_many and not is_reported:
            self.report(node, idiom(name + ' by position'), '%s with %d arguments' % (
                name, len(arguments)), 'pass at most %d arguments by '
                                       'position' % len(places))

    def _is_misplaced(self, argument, parameter):
        """Return whether an argument cannot be meant for today's parameter."""
        name, default = parameter.name, parameter.default
        if name == 'nobias':
            # Today 0 and 1 may be passed for flags, too.
            return _is_number(argument) and getattr(argument, 'value', None) not in (
                0, 1)
        if name == 'activation':
            return _is_number(argument)
        if name == 'pooling':
            return any(entries().name(full) for full in self.inference.names(
                argument, self.scope))
        return isinstance(argument, ast.Constant) and isinstance(
            argument.value, bool) and default is not inspect.Parameter.empty and (
                not isinstance(default, bool) and default is not None)


def _what_it_takes(given, keyword):
    """Return advice on a keyword that a callable lacks.

    Omitting it may change results, as in ``Adam(lr=0.1)``.
    """
    names = [p.name for p in given if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)]
    here = mistakes.called_here(keyword, names)
    if here is not None:
        return 'write %s=%s' % (
            here, ', which is the opposite' if here == 'no' + keyword else '')
    question = mistakes.did_you_mean(keyword, names)
    return (question + ' ' if question else '') + 'it takes ' + (
        ', '.join(names) or 'no arguments')


def _is_number(node):
    """Return whether an expression is a number, and not a flag."""
    if isinstance(node, ast.Constant):
        return type(node.value) in (int, float)
    if isinstance(node, ast.UnaryOp):
        return _is_number(node.operand)
    if isinstance(node, ast.BinOp):
        return _is_number(node.left) or _is_number(node.right)
    return (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
            and node.func.attr == 'sqrt')
