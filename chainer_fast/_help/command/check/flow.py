"""Which bindings of a name reach a place, judging by the order of lines."""
import ast

_LOOPS = (ast.For, ast.AsyncFor, ast.While)


def _is_in(node, other):
    """Return whether a name occurs in its own value, as in ``x = f(x)``."""
    return (other.lineno, other.col_offset) <= (node.lineno, node.col_offset) and (
        node.end_lineno, node.end_col_offset) <= (
            other.end_lineno, other.end_col_offset)


class Flow:
    """Records in which blocks of a scope names are bound and read."""

    def __init__(self):
        self._blocks = []       # of the statements around: (statement, field)
        self._places = {}

    def enter(self, statement, field):
        """Record the start of a block that may run any number of times."""
        self._blocks.append((statement, field))

    def leave(self):
        self._blocks.pop()

    def note(self, node):
        """Record the place of a bound expression or of a name."""
        self._places[node] = tuple(self._blocks)

    def reaching(self, node, bound, scope):
        """Return the bindings of a name that may hold at a place.

        Parameters
        ----------
        node : ast.Name
            The name as it is read.
        bound : list
            Bindings as in a ``Scope``.
        scope : Scope
            Where the name is read.
        """
        place = self._places.get(node)
        if len(bound) < 2 or place is None or not all(
                isinstance(binding, tuple) and binding[1] is scope
                and binding[0] in self._places for binding in bound):
            return bound
        before = [binding for binding in bound
                  if binding[0].end_lineno < node.lineno]
        certain = [binding for binding in before
                   if self._places[binding[0]] == place[:len(
                       self._places[binding[0]])]]
        if not certain:
            return bound
        last = certain[-1]
        return [binding for binding in bound
                if binding is last
                or binding[0].lineno > last[0].lineno and (
                    binding[0].lineno <= node.lineno
                    and not _is_in(node, binding[0])
                    or self._share_loop(self._places[binding[0]], place))]

    @staticmethod
    def _share_loop(one, other):
        return any(isinstance(statement, _LOOPS) and any(
            statement is again for again, _ in other) for statement, _ in one)
