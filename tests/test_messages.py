"""Messages of errors and warnings: what they say must not fail by itself."""
import ast
import pathlib
import re

import pytest

import chainer_fast

PACKAGE = pathlib.Path(chainer_fast.__file__).parent

# What is never given by a program, and is a number, a string or the like.
_OWN = re.compile(
    r"type\(.*\)|len\(.*\)|.*\.(ndim|size|__name__|shape\[.*\])|[ijk]|count|ndim|"
    r"_?[A-Z_]+")

# These are for the tables and files of the package itself.
_NOT_OF_PROGRAMS = (
    '_help/command', '_help/display', '_help/past', '_help/summary', 'alias',
    'graph_optimizations', 'interop', 'legacy', 'mn/_watchdog', 'onnx', 'serializers')


def _is_message(node):
    if isinstance(node, (ast.Raise, ast.Assert)):
        return True
    if not isinstance(node, ast.Call):
        return False
    name = ast.unparse(node.func).rpartition('.')[2]
    return name in ('warn', 'warn_once', 'tell') or name.endswith('Error')


def _formats(node, in_message=False):
    """Yield the operators ``%`` of messages."""
    in_message = in_message or _is_message(node)
    if in_message and isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod) and (
            isinstance(node.left, ast.Constant) and isinstance(node.left.value, str)):
        yield node
    for child in ast.iter_child_nodes(node):
        yield from _formats(child, in_message)


def _faults(node):
    """Yield what may fail: a tuple in the place of a value, or a list for a number."""
    specs = [found.group() for found in re.finditer(
        r'%[-+0-9.#*]*[a-zA-Z%]', node.left.value) if found.group() != '%%']
    values = node.right.elts if isinstance(node.right, ast.Tuple) else [node.right]
    if len(specs) != len(values):
        return
    for spec, value in zip(specs, values, strict=True):
        if not isinstance(value, (ast.Name, ast.Attribute, ast.Subscript)) or (
                _OWN.fullmatch(ast.unparse(value))):
            continue
        if value is node.right:
            yield '%s alone, which may be a tuple' % ast.unparse(value)
        elif spec == '%d' and not isinstance(value, ast.Subscript):
            yield '%%d of %s, which may be a list' % ast.unparse(value)


def _files():
    for path in sorted(PACKAGE.rglob('*.py')):
        if not path.relative_to(PACKAGE).as_posix().startswith(_NOT_OF_PROGRAMS):
            yield path


def test_messages_take_any_value():
    faults = [
        '%s:%d: %s' % (path.relative_to(PACKAGE), node.lineno, fault)
        for path in _files()
        for node in _formats(ast.parse(path.read_text(encoding='utf-8')))
        for fault in _faults(node)]
    assert faults == []


@pytest.mark.parametrize('text, count', [
    ("raise ValueError('no %r' % name)", 1), ("raise ValueError('no %r' % (name,))", 0),
    ("raise ValueError('no %d, %s' % (name, other))", 1),
    ("warnings.warn('no %s' % self.name)", 1), ("print('no %s' % name)", 0)])
def test_what_is_a_fault(text, count):
    found = [fault for node in _formats(ast.parse(text)) for fault in _faults(node)]
    assert len(found) == count
