"""Rewrites findings that can be fixed without changing a program's results."""
import importlib.util
import re

from chainer_fast._help.command.check import analysis
from chainer_fast._help.command.check.fix import modern
from chainer_fast._help.past import python2

_PASSES = 20        # a fix may enable another one; each needs a pass


def missing():
    """Return the names of missing packages, or an empty string."""
    return ' and '.join(name for name in ('libcst', 'fissix')
                        if importlib.util.find_spec(name) is None)


def fixed(text, is_wanted, written_for=(), is_fixed=True, are_imports=False):
    """Return a source with the fixes made.

    Parameters
    ----------
    text : str
    is_wanted : callable
        Returns whether to fix a finding.
    written_for : collection of str
        See :func:`chainer_fast._help.command.check.analysis.findings`.
    is_fixed : bool
        Whether to fix findings.
    are_imports : bool
        Whether to import ``chainer_fast`` in place of ``chainer``.

    Returns
    -------
    str
        The new source; the old one if the new one would not compile.
    """
    from chainer_fast._help.command.check.fix import imports, planner
    new = text
    if is_fixed:
        if re.search('\r(?!\n)', new):     # lines are separated by line feeds
            return text
        if not analysis.compiles(new):
            new = _from_python2(new, is_wanted)
        for _ in range(_PASSES):
            before = new
            found = [finding.what for finding in analysis.findings(new, written_for)
                     if is_wanted(finding)]
            if not found:
                break
            new = modern.names_modernized(new, found)
            new = planner.applied(new, is_wanted, written_for)
            if new == before:
                break
    if are_imports:
        new = imports.renamed(new)
    return new if analysis.compiles(new) else text


def _from_python2(text, is_wanted):
    """Return a source of Python 2 as one of Python 3.

    Divisions come first, as they cannot be distinguished afterwards.
    """
    from chainer_fast._help.command.check.fix import planner
    new, _, _ = python2.readable(text)
    for _ in range(_PASSES):
        before = new
        new = planner.applied(new, lambda finding: is_wanted(finding)
                              and finding.what == 'division of whole numbers',
                              is_python2=True)
        if new == before:
            break
    return modern.modernized(new)
