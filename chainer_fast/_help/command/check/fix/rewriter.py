"""Applies edits to a source with libcst, which preserves all other formatting."""
import sys

import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider


def rewritten(text, edits):
    """Return a source with the edits applied.

    Columns of the edits are those of ``ast``, in bytes. Raises ``SyntaxError`` if
    libcst cannot parse what ``ast`` can.
    """
    try:
        wrapper = MetadataWrapper(cst.parse_module(text), unsafe_skip_copy=True)
        changed = wrapper.visit(_Rewriter(edits, text.split('\n')))
        if edits.imports:
            changed = _with_imports(changed, edits.imports)
    except cst.ParserSyntaxError as error:
        raise SyntaxError('it cannot be rewritten: %s' % error.message) from error
    return changed.code


class _Rewriter(cst.CSTTransformer):
    METADATA_DEPENDENCIES = (PositionProvider,)

    def __init__(self, edits, lines):
        super().__init__()
        self._edits = edits
        self._lines = lines

    def _column(self, position):
        line = self._lines[position.line - 1]
        return position.column if line.isascii() else len(
            line[:position.column].encode())

    def _place(self, node):
        found = self.get_metadata(PositionProvider, node)
        return (found.start.line, self._column(found.start),
                found.end.line, self._column(found.end))

    def on_leave(self, original_node, updated_node):
        updated = super().on_leave(original_node, updated_node)
        if isinstance(original_node, cst.BaseExpression):
            code = self._edits.expressions.get(self._place(original_node))
            if code is not None:
                new = cst.parse_expression(code)
                return new.with_changes(
                    lpar=[*getattr(updated, 'lpar', ()), *getattr(new, 'lpar', ())],
                    rpar=[*getattr(new, 'rpar', ()), *getattr(updated, 'rpar', ())])
        return updated

    def leave_FunctionDef(self, original_node, updated_node):
        name = self._edits.definitions.get(self._place(original_node)[:2])
        if name is None:
            return updated_node
        return updated_node.with_changes(name=cst.Name(name))

    def leave_ImportFrom(self, original_node, updated_node):
        name = self._edits.modules.get(self._place(original_node)[:2])
        if name is None:
            return updated_node
        return updated_node.with_changes(module=cst.parse_expression(name))

    def leave_Call(self, original_node, updated_node):
        pairs = zip(original_node.args, updated_node.args, strict=True)
        arguments, is_changed = [], False
        for original, updated in pairs:
            where = self._place(original)
            if where in self._edits.arguments:
                is_changed = True
                code = self._edits.arguments[where]
                if code is None:
                    continue
                updated = _argument(code).with_changes(comma=updated.comma)
            arguments.append(updated)
        added = self._edits.added.get(self._place(original_node))
        if added is not None:
            is_changed = True
            if arguments:
                arguments[-1] = arguments[-1].with_changes(comma=_between(
                    arguments[-1].comma, updated_node.whitespace_before_args))
            arguments.append(_argument(added))
        if not is_changed:
            return updated_node
        if arguments and original_node.args and arguments[-1] is not updated_node.args[
                -1] and not _has_comment(arguments[-1].comma):
            arguments[-1] = arguments[-1].with_changes(
                comma=updated_node.args[-1].comma if added is None
                else cst.MaybeSentinel.DEFAULT)
        return updated_node.with_changes(args=arguments)

    def leave_SimpleStatementSuite(self, original_node, updated_node):
        return self._line(original_node, updated_node)

    def leave_SimpleStatementLine(self, original_node, updated_node):
        if self._is_shared(original_node):
            return self._line(original_node, updated_node)
        return updated_node     # lines may replace the whole statement

    @staticmethod
    def _is_shared(line):
        return isinstance(line, cst.SimpleStatementLine) and len(line.body) > 1

    def _line(self, original, updated):
        """Replace statements that share a line with others."""
        body = []
        for old, statement in zip(original.body, updated.body, strict=True):
            lines = self._edits.statements.get(self._place(old)[:2])
            if lines is None:
                body.append(statement)
            elif lines:
                body += [small for line in lines for small in cst.ensure_type(
                    cst.parse_statement(line), cst.SimpleStatementLine).body]
                body[-1] = body[-1].with_changes(semicolon=statement.semicolon)
        return updated.with_changes(body=body or [cst.Pass()])

    def leave_IndentedBlock(self, original_node, updated_node):
        return self._block(original_node, updated_node)

    def leave_Module(self, original_node, updated_node):
        return self._block(original_node, updated_node)

    def _block(self, original, updated):
        body, headers = [], []
        # The lists for the next statement: that of the block, or that of a with
        # statement around the rest of the block.
        into, heads = body, headers
        for old, statement in zip(original.body, updated.body, strict=True):
            begins = self._place(old)[:2]
            if begins in self._edits.wrapped_rests and into is body:
                into, heads = [], []
                rest_header = self._edits.wrapped_rests[begins]
            new = self._statements(begins, statement)
            header = self._edits.wraps.get(begins)
            if header is not None:
                new = self._wrapped(new, header, into, heads)
            into.extend(new)
            heads.extend([header] * len(new))
        if into is not body:
            body.append(_with(rest_header, into))
        if len(body) == len(updated.body) and all(
                one is other for one, other in zip(body, updated.body, strict=True)):
            return updated
        if not body:
            body = [cst.parse_statement('pass')]
        return updated.with_changes(body=body)

    def _statements(self, begins, statement):
        lines = self._edits.statements.get(begins)
        if lines is None or self._is_shared(statement):
            return [statement]
        new = [cst.parse_statement(line) for line in lines]
        if new:
            new[0] = new[0].with_changes(leading_lines=statement.leading_lines)
            new[-1] = new[-1].with_changes(
                trailing_whitespace=statement.trailing_whitespace)
        return new

    @staticmethod
    def _wrapped(statements, header, body, headers):
        """Return a with statement, or extend the previous one."""
        if headers and headers[-1] == header and isinstance(body[-1], cst.With):
            before = body[-1]
            body[-1] = before.with_changes(body=before.body.with_changes(
                body=[*before.body.body, *statements]))
            return []
        return [_with(header, statements)]


def _has_comment(comma):
    return isinstance(comma, cst.Comma) and any(
        getattr(line, 'comment', None) for line in (
            getattr(comma.whitespace_after, 'first_line', None),
            *getattr(comma.whitespace_after, 'empty_lines', ())))


def _between(comma, before):
    """Return the comma in front of an argument that is added.

    A comment after it is kept; the argument is then put below the first one.
    """
    if not _has_comment(comma):
        return cst.Comma(whitespace_after=cst.SimpleWhitespace(' '))
    last_line = getattr(before, 'last_line', comma.whitespace_after.last_line)
    return comma.with_changes(
        whitespace_after=comma.whitespace_after.with_changes(last_line=last_line))


def _argument(code):
    call = cst.ensure_type(cst.parse_expression('f(%s)' % code), cst.Call)
    return call.args[0]


def _with(header, statements):
    """Return a with statement; comments above the first one stay above."""
    leading = statements[0].leading_lines
    statements = [statements[0].with_changes(leading_lines=()), *statements[1:]]
    statements = [statement.visit(_BareLines()) for statement in statements]
    new = cst.parse_statement(header + '\n    pass\n')
    return new.with_changes(
        leading_lines=leading, body=cst.IndentedBlock(body=statements))


class _BareLines(cst.CSTTransformer):
    """Writes empty lines without the indentation of their block."""

    def leave_EmptyLine(self, original_node, updated_node):
        return updated_node if updated_node.comment else updated_node.with_changes(
            indent=False, whitespace=cst.SimpleWhitespace(''))


def _is_import(statement):
    return isinstance(statement, cst.SimpleStatementLine) and all(
        isinstance(small, (cst.Import, cst.ImportFrom)) for small in statement.body)


def _root(code):
    """Return the package of an import statement."""
    line = next(line for line in code.splitlines()
                if line.startswith(('import ', 'from ')))
    return line.split()[1].partition('.')[0]


def _with_imports(module, imports):
    """Add imports after those at the top, next to those of the same package."""
    body = list(module.body)
    for code in imports:
        root = code.split()[1].partition('.')[0]
        top = [number for number, statement in enumerate(body) if _is_import(statement)]
        if not top:
            at = 1 if module.get_docstring() is not None else 0
        else:
            # Imports in the middle of a program may come too late.
            end = next((number for number in range(top[0], len(body))
                        if number not in top), len(body))
            roots = {number: _root(module.code_for_node(body[number]))
                     for number in top if number < end}
            near = [number for number, name in roots.items() if name == root]
            if not near and root in sys.stdlib_module_names:
                at = min((number for number, name in roots.items()
                          if name != '__future__'), default=end)
            else:
                at = max(near, default=end - 1) + 1
        statement = cst.parse_statement(code)
        if top and at == top[0]:
            # Comments above the imports stay above.
            statement = statement.with_changes(leading_lines=body[at].leading_lines)
            body[at] = body[at].with_changes(leading_lines=())
        body.insert(at, statement)
    return module.with_changes(body=body)
