"""Computes the findings of the text of a source."""
import ast
import re
import warnings

from chainer_fast._help import installation
from chainer_fast._help.command.check.checker import Checker
from chainer_fast._help.command.check.entries import idiom
from chainer_fast._help.command.check.finding import Finding
from chainer_fast._help.past import python2

_IGNORED = re.compile(r'#\s*chainer-fast:\s*ignore(?:\[([^\]]*)\])?')


def _parse(text):
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')     # such as warnings of escapes in strings
        try:
            return ast.parse(text)
        except ValueError as error:     # for null bytes before Python 3.12
            raise SyntaxError(str(error)) from None


def compiles(text):
    """Return whether Python 3 can parse a text."""
    try:
        _parse(text)
    except SyntaxError:
        return False
    return True


def _of_line(what, line):
    entry = idiom(what)
    return Finding(line, 0, line, 0, entry.what, entry.instead, entry.last)


def _characters(finding, lines):
    """Count columns in characters, where the parser counts bytes."""
    def column(line, offset):
        line = lines[line - 1]
        return offset if line.isascii() else len(
            line.encode()[:offset].decode(errors='ignore'))
    return finding._replace(
        column=column(finding.line, finding.column),
        end_column=column(finding.end_line, finding.end_column))


def _is_ignored(finding, lines):
    match = _IGNORED.search(lines[finding.line - 1])
    if match is None:
        return False
    return match[1] is None or finding.what in [
        what.strip() for what in match[1].split(';')]


def findings(text, written_for=()):
    """Return the findings of a source, in order.

    Parameters
    ----------
    text : str
    written_for : collection of str
        Versions of Chainer such as ``'v1'`` for which the source was written, and
        ``'python'`` for Python 2. Calls whose meaning has changed since are reported,
        too.

    Raises
    ------
    SyntaxError
        If neither Python 3 nor Python 2 can parse the source, or fissix is
        missing.
    """
    old = []
    lines = re.split('\r\n|\r|\n', text)
    try:
        tree = _parse(text)
        numbers = None
    except SyntaxError as error:
        if not python2.is_there():
            message = '%s; if this is Python 2, install fissix to parse it: %s' % (
                error.msg, installation.install('check'))
            raise SyntaxError(message, (
                None, error.lineno or 1, None, None)) from error
        try:
            changed, numbers, uses = python2.readable(text)
            tree = _parse(changed)
        except (SyntaxError, ValueError):
            raise error
        old = [_of_line(what, line) for what, line in uses]
    checker = Checker(tree, written_for, numbers is not None)
    found = [finding for finding, _, _ in checker.found]
    if numbers is None:
        found = [_characters(finding, lines) for finding in found]
    else:
        found = [finding._replace(line=numbers[finding.line],
                                  end_line=numbers[finding.end_line])
                 for finding in found]
    found = sorted({*old, *found})
    return [finding for finding in found if not _is_ignored(finding, lines)]
