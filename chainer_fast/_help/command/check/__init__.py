"""``chainer-fast check``: what no longer works in the sources of a program.

The sources are read, not run. Entries of ``chainer_fast._help.past.removed`` and the
API of the installed packages determine what was removed; ``ast`` parses the sources,
and libcst rewrites those that ``--fix`` changes.
"""
from chainer_fast._help.command.check.command import main
