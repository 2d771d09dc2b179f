"""Whether ``static_graph`` pays: ``chainer-fast profile --static``.

The program runs once, and its updates take turns (:mod:`~.turns`): in some all chains
run their code, in others one method of a chain (:mod:`~.methods`) is static. Methods
without the decorator are tried from the outside: if no call of a chain has a plan, the
chains that it calls are tried. :mod:`~.session` replaces the methods.
"""
import atexit
import os
import sys

from chainer_fast._help.command.profile.static import report, session


def print_at_exit(updates=None):
    """Start to measure, and print the report to standard error at the end.

    The end of the process is meant, also after an exception or Ctrl-C. Forked processes
    print no report.

    Parameters
    ----------
    updates : int, optional
        Number of updates after which the program ends with the exit status 0; by
        default it runs to its end.
    """
    measured = session.Session(updates)
    measured.start()
    process = os.getpid()

    def finish():
        if os.getpid() == process:
            measured.stop()
            print(report.text(measured), file=sys.stderr)
    atexit.register(finish)
