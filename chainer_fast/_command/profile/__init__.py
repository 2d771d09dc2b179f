"""A profile of functions and links: ``python -m chainer_fast --profile``.

While a profile is taken, methods of a few classes are replaced by others that look at
the clock (:mod:`~chainer_fast._command.profile.observe`). They see which way a function
goes and change nothing about it; a function hook would send all functions the general
way. At other times, nothing here is loaded.
"""
import atexit
import os
import sys

from chainer_fast._command.profile import observe, records, report


def print_at_exit():
    """Start a profile, and print it to standard error at the end of the process.

    That is after the message of an exception, and after Ctrl-C. Processes that this one
    forks print none.
    """
    profile = records.Profile()
    observe.start(profile)
    process = os.getpid()

    def finish():
        if os.getpid() == process:
            profile.stop()
            observe.stop()
            print(report.text(profile), file=sys.stderr)
    atexit.register(finish)
