"""Conversion of imports of chainer to imports of chainer_fast."""
import ast

from chainer_fast._help.command.check.fix.edits import Edits
from chainer_fast._help.command.check.fix.rewriter import rewritten

_MODULES = {'chainer': 'chainer_fast', 'chainermn': 'chainer_fast.mn',
            'onnx_chainer': 'chainer_fast.onnx',
            'chainerx': 'chainer_fast.chainerx'}


def _today(name):
    top, _, rest = name.partition('.')
    return _MODULES.get(top, top) + ('.' + rest if rest else '')


def _renamed_import(node):
    """Return the lines that replace an ``import`` statement."""
    lines = []
    for alias in node.names:
        new = _today(alias.name)
        top = alias.name.partition('.')[0]
        if new == alias.name:
            lines.append('import %s' % alias.name + (
                ' as %s' % alias.asname if alias.asname else ''))
        elif alias.asname:
            lines.append('import %s as %s' % (new, alias.asname))
        else:
            if new != _MODULES[top]:
                lines.append('import %s' % new)
            lines.append('import %s as %s' % (_MODULES[top], top))
    return lines


def renamed(text):
    """Return a source that imports chainer_fast instead of chainer."""
    edits = Edits()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            if any(_today(alias.name) != alias.name for alias in node.names):
                edits.statement(node, _renamed_import(node))
        elif isinstance(node, ast.ImportFrom) and not node.level:
            new = _today(node.module)
            if new != node.module:
                edits.module(node, new)
    return rewritten(text, edits) if edits else text
