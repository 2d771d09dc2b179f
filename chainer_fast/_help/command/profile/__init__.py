"""A profile of a program: ``python -m chainer_fast --profile``.

While a profile is taken, functions and methods are replaced by others that look at the
clock: those of the training loop (:mod:`~.loop`), and those of functions, links and
kernels (:mod:`~.observe`). They see which way a function goes and change nothing about
it; a function hook would send all functions the general way. At other times, nothing
here is loaded.
"""
import atexit
import os
import sys

from chainer_fast._help.command.profile import observe, records, report, trace


def print_at_exit(trace_path=''):
    """Start a profile, and print it to standard error at the end of the process.

    That is after the message of an exception, and after Ctrl-C. Processes that this one
    forks print none.

    Parameters
    ----------
    trace_path : str
        File to write a trace to, whose name ends in ``.json``; none if it is empty.

    Raises
    ------
    ValueError
        If there can be no such file.
    """
    if trace_path:
        # Before the program changes its folder.
        trace_path = os.path.abspath(trace_path)
        if not trace_path.endswith('.json'):
            raise ValueError('the name of a trace ends in .json')
        if not os.path.isdir(os.path.dirname(trace_path)):
            raise ValueError('there is no folder %s' % os.path.dirname(trace_path))
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
        print('\nThere is no trace: %s' % error, file=sys.stderr)
    else:
        print('\nThe trace is in %s: open it in https://ui.perfetto.dev or '
              'chrome://tracing.' % path, file=sys.stderr)
