"""Conversion of sources to the syntax of Python 3, with a list of changes."""
import difflib
import re

from chainer_fast._help.past.python2 import fixers, tabs

# Fixers without which a source does not compile, and their entries.
_SYNTAX = {
    'print': 'print statement', 'exec': 'exec statement', 'except': 'except E, name',
    'raise': 'raise E, value', 'repr': 'backticks', 'ne': '<> operator',
    'numliterals': 'octal 0755', 'tuple_params': 'tuple parameter', 'paren': '',
    'throw': '', 'unicode': "ur'' string"}

_RAW = re.compile(r'\b[uU][rR][\'"]')


def readable(text):
    """Return a source of Python 2 in the syntax of Python 3, and what was changed.

    Returns
    -------
    tuple
        The text; the line of the original for each of its lines, from 1; a list of
        changes, each as an entry of ``chainer_fast._help.past.removed`` and its line
        in the original.
    """
    try:
        text, unclear = tabs.with_spaces(text)
    except Exception as error:      # of fissix
        raise SyntaxError(str(error)) from error
    # It would change names, too.
    unneeded = set() if _RAW.search(text) else {'unicode'}
    changed = fixers.run(text, frozenset(_SYNTAX) - unneeded)
    found = _found(text)
    if unclear is not None:
        found.append(('indentation by tabs and spaces', unclear))
    return changed, _lines(text, changed), found


def _lines(text, changed):
    old, new = text.split('\n'), changed.split('\n')
    lines = [0]
    for tag, start, end, new_start, new_end in difflib.SequenceMatcher(
            None, old, new, autojunk=False).get_opcodes():
        for number in range(new_end - new_start):
            lines.append(min(start + number, end - (tag != 'insert')) + 1)
    return lines


def _found(text):
    pygram, _ = fixers.library()
    tool = fixers.tool(frozenset(_SYNTAX))
    if 'print_function' in text:
        tool.driver.grammar = pygram.python_grammar_no_print_statement
    try:
        tree = tool.driver.parse_string(text + '\n')
    finally:
        tool.driver.grammar = tool.grammar
    found = []
    for node in tree.pre_order():
        for fixer in (*tool.pre_order, *tool.post_order):
            what = _SYNTAX[fixers.name(type(fixer).__module__)]
            if what and fixer._accept_type in (None, node.type) and fixer.match(node):
                what = _narrowed(what, str(node).strip())
                if what:
                    found += [(what, place.get_lineno())
                              for place in _places(pygram, what, node)]
    return list(dict.fromkeys(found))


def _places(pygram, what, node):
    """Return the nodes with the syntax that a fixer matched."""
    symbols = pygram.python_symbols
    if what == 'except E, name':
        return [child for child in node.children if child.type == symbols.except_clause
                and any(str(leaf) == ',' for leaf in child.children)]
    if what == 'tuple parameter':
        if node.type == symbols.lambdef:
            return [node]
        return [node] if any(child.type == symbols.tfpdef
                             for part in node.children[:-1]
                             for child in part.pre_order()) else []
    return [node]


def _narrowed(what, text):
    """Return the entry for a match of a fixer that has several, or None."""
    if what == 'octal 0755':
        if text[-1:] in 'lL':
            return 'number 10L'
        return what if text[:1] == '0' and text.isdigit() and int(text) else None
    if what == "ur'' string":
        return what if text[:2].lower() == 'ur' else None
    if what == 'raise E, value':
        return what if ',' in text.partition('(')[0] else None
    if what == 'print statement' and text.startswith('print(') and text.endswith(')'):
        return None
    return what
