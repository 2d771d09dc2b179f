"""Chooses the edits for the findings of a source."""
import ast

from chainer_fast._help.command.check.checker import Checker
from chainer_fast._help.command.check.fix import calls, modes, renames
from chainer_fast._help.command.check.fix.edits import Edits, place
from chainer_fast._help.command.check.fix.rewriter import rewritten
from chainer_fast._help.command.check.fix.spelling import Speller
from chainer_fast._help.past import removed

# Each returns whether it made edits for a finding.
_FIXERS = (modes.fix, calls.fix, renames.fix)


class Plan:
    """A source, its findings, and the edits so far.

    Attributes
    ----------
    inference : Inference
    edits : Edits
    spell : callable
        Returns code for a full name in a scope, or None.
    parents : dict
        Maps each node to its parent.
    drops_flags : bool
        Whether to remove the flags of variables.
    """

    drops_flags = False

    def __init__(self, text, tree, checker):
        self._lines = text.encode().split(b'\n')
        self.text = text
        self.tree = tree
        self.inference = checker.inference
        self.edits = Edits()
        self.spell = Speller(self.edits).spell
        self.parents = {child: node for node in ast.walk(tree)
                        for child in ast.iter_child_nodes(node)}

    def code(self, node):
        """Return the code of an expression, in parentheses if it has several lines."""
        first, start, last, end = place(node)
        lines = self._lines[first - 1:last]
        lines[-1] = lines[-1][:end]
        lines[0] = lines[0][start:]
        code = b'\n'.join(lines).decode()
        return '(%s)' % code if len(lines) > 1 else code

    def operand(self, node):
        """Return the code of an expression, to be followed by an attribute."""
        simple = isinstance(node, (ast.Name, ast.Attribute, ast.Call, ast.Subscript))
        code = self.code(node)
        return code if simple or code.startswith('(') else '(%s)' % code

    def statement(self, node):
        """Return the simple statement around an expression if it shares no line.

        None if there is none, or if the expression is not evaluated at that point.
        """
        child = node
        while not isinstance(child, ast.stmt):
            parent = self.parents[child]
            if isinstance(parent, (ast.Lambda, ast.GeneratorExp, ast.arguments)):
                return None
            child = parent
        if not isinstance(child, (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr,
                                  ast.Return)):
            return None
        if any(isinstance(part, (ast.Yield, ast.YieldFrom, ast.Await))
               for part in ast.walk(child)):
            return None
        return child if self.block(child) else None

    def block(self, statement):
        """Return the block of a statement, if no statements share lines.

        None if the statement shares its lines with another one.
        """
        parent = self.parents[statement]
        for field in ('body', 'orelse', 'finalbody'):
            block = getattr(parent, field, None)
            if isinstance(block, list) and statement in block:
                spans = [(one.lineno, one.end_lineno) for one in block]
                alone = all(before[1] < after[0] for before, after in zip(
                    spans, spans[1:], strict=False))
                first = getattr(parent, 'lineno', 0)
                return block if alone and spans[0][0] > first else None
        return None


def applied(text, is_wanted, written_for=(), is_python2=False):
    """Return a source after one pass of fixes."""
    tree = ast.parse(text)
    checker = Checker(tree, written_for, is_python2)
    plan = Plan(text, tree, checker)
    found = [item for item in sorted(checker.found, key=lambda item: item[0])
             if is_wanted(item[0])]
    plan.drops_flags = modes.drops_flags(Plan(text, tree, checker), found)
    for finding, node, scope in found:
        entry = removed.entries().get(finding.what)
        fixers = (calls.fix,) if finding.what in calls.FIXERS else _FIXERS
        any(fix(plan, finding, node, scope, entry) for fix in fixers)
    return rewritten(text, plan.edits) if plan.edits else text
