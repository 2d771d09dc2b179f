"""A profile of a program: ``python -m chainer_fast --profile``.

While a profile is taken, functions and methods are replaced by others that measure
their time: those of the training loop (:mod:`~.loop`), and those of functions, links
and kernels (:mod:`~.observe`). They record which path a function takes without
changing it; a function hook would force the general path on all functions.
Otherwise, this package is not loaded.
"""
import atexit
import os
import sys

from chainer_fast._help.command.profile import observe, records, report, trace


def print_at_exit(trace_path=''):
    """Start a profile, which is printed to standard error when the process ends.

    It follows the message of an exception, and is printed after Ctrl-C, too. Forked
    processes print no profile.

    Parameters
    ----------
    trace_path : str
        File for a trace, whose name ends in ``.json``; an empty string for no
        trace.

    Raises
    ------
    ValueError
        If such a file cannot be written.
    """
    if trace_path:
        # Resolved before the program changes its working folder.
        trace_path = os.path.abspath(trace_path)
        if not trace_path.endswith('.json'):
            raise ValueError('the name of a trace must end in .json')
        if not os.path.isdir(os.path.dirname(trace_path)):
            raise ValueError('the folder %s does not '
                             'exist' % os.path.dirname(trace_path))
    profile = records.Profile(traced=bool(trace_path))
    observe.start(profile)
    process = os.getpid()

    def finish():
        if os.getpid() == process:
            profile.stop()
            observe.stop()
            print(report.text(profile), file=sys.stderr)
            if trace_path:
                _write_trace(profile, trace_path)
    atexit.register(finish)


def _write_trace(profile, path):
    try:
        trace.write(profile, path)
    except OSError as error:
        print('\nThe trace could not be written: %s' % error, file=sys.stderr)
    else:
        print('\nThe trace was written to %s: open it in https://ui.perfetto.dev or '
              'chrome://tracing.' % path, file=sys.stderr)
