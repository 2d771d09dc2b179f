"""Sources in the syntax of Python 2, through fissix."""
import difflib
import functools
import logging
import re

from chainer_fast._check import tabs
from chainer_fast._check.finding import Finding

# Fixers without which a source does not compile, and the entry that each stands for.
_SYNTAX = {
    'print': 'print statement', 'exec': 'exec statement', 'except': 'except E, name',
    'raise': 'raise E, value', 'repr': 'backticks', 'ne': '<> operator',
    'numliterals': 'octal 0755', 'tuple_params': 'tuple parameter', 'paren': '',
    'throw': '', 'unicode': "ur'' string"}
# Fixers that look at files beside the source, or make nothing but another style.
_UNWANTED = {'print', 'exec', 'import', 'idioms', 'ws_comma', 'set_literal', 'buffer',
             'asserts', 'future', 'isinstance'}
# Fixers for what compiles and stops when it runs.
_NAMES = {
    **{'dict.' + name: 'dict' for name in (
        'iteritems', 'iterkeys', 'itervalues', 'viewitems', 'viewkeys', 'viewvalues')},
    'dict.has_key': 'has_key', 'iterator.next': 'next',
    'builtins.execfile': 'execfile', 'builtins.apply': 'apply'}


_RAW = re.compile(r'\b[uU][rR][\'"]')


def _fissix():
    from fissix import pygram, refactor
    logging.getLogger('RefactoringTool').setLevel(logging.ERROR)
    logging.getLogger('fissix').setLevel(logging.ERROR)
    return pygram, refactor


def is_there():
    """Return whether fissix is installed."""
    try:
        _fissix()
    except ModuleNotFoundError:
        return False
    return True


@functools.cache
def _tool(names, prints=False):
    """Return a tool with the fixers of these names; all that are useful if None."""
    _, refactor = _fissix()
    fixers = [fixer for fixer in refactor.get_fixers_from_package('fissix.fixes')
              if (fixer.rpartition('fix_')[2] not in _UNWANTED if names is None
                  else fixer.rpartition('fix_')[2] in names)]
    return refactor.RefactoringTool(fixers, {'print_function': prints})


def _run(text, names, prints=False):
    """Return a text after some fixers; ``prints`` tells that print is a function."""
    tool = _tool(names, prints)
    try:
        tree = tool.refactor_string(text + '\n', '<source>')
    except Exception as error:      # each of fissix's modules has errors of its own
        raise SyntaxError(str(error)) from error
    if tree is None:
        raise SyntaxError('neither Python 3 nor Python 2 reads it')
    # One line feed was added, which fissix wants at the end.
    return str(tree).removesuffix('\n')


def modernized(text):
    """Return what :func:`readable` made of a source as one of Python 3."""
    return _run(text, None, True)


def names_modernized(text, found):
    """Return a source without the names and methods of Python 2 that were found in it.

    ``found`` are names of entries; those that other fixes are for are left alone.
    """
    fixers = frozenset(_NAMES[what] for what in found if what in _NAMES)
    return _run(text, fixers, True) if fixers else text


def readable(text):
    """Return a source of Python 2 in the syntax of Python 3, and what was changed.

    Returns
    -------
    tuple
        The text; the line of the original for each of its lines, from 1; a list of
        findings in the original.
    """
    try:
        text, unclear = tabs.with_spaces(text)
    except Exception as error:      # of fissix
        raise SyntaxError(str(error)) from error
    # It would change names, too.
    unneeded = set() if _RAW.search(text) else {'unicode'}
    changed = _run(text, frozenset(_SYNTAX) - unneeded)
    findings = _findings(text)
    if unclear is not None:
        findings.append(_finding('indentation by tabs and spaces', unclear))
    return changed, _lines(text, changed), findings


def _finding(what, line):
    from chainer_fast._check.entries import idiom
    entry = idiom(what)
    return Finding(line, 0, line, 0, entry.what, entry.instead, entry.last)


def _lines(text, changed):
    old, new = text.split('\n'), changed.split('\n')
    lines = [0]
    for tag, start, end, new_start, new_end in difflib.SequenceMatcher(
            None, old, new, autojunk=False).get_opcodes():
        for number in range(new_end - new_start):
            lines.append(min(start + number, end - (tag != 'insert')) + 1)
    return lines


def _findings(text):
    from chainer_fast._check.entries import idiom
    pygram, _ = _fissix()
    tool = _tool(frozenset(_SYNTAX))
    if 'print_function' in text:
        tool.driver.grammar = pygram.python_grammar_no_print_statement
    try:
        tree = tool.driver.parse_string(text + '\n')
    finally:
        tool.driver.grammar = tool.grammar
    found = []
    for node in tree.pre_order():
        for fixer in (*tool.pre_order, *tool.post_order):
            what = _SYNTAX[type(fixer).__module__.rpartition('fix_')[2]]
            if what and fixer._accept_type in (None, node.type) and fixer.match(node):
                what = _narrowed(what, str(node).strip())
                entry = what and idiom(what)
                if entry:
                    found += [Finding(place.get_lineno(), 0, place.get_lineno(), 0,
                                      entry.what, entry.instead, entry.last)
                              for place in _places(pygram, what, node)]
    return list(dict.fromkeys(found))


def _places(pygram, what, node):
    """Return the nodes in which the syntax stands that a fixer has matched."""
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
    """Return the entry for a match of a fixer that stands for several, or None."""
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
