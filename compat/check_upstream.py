#!/usr/bin/env python3
"""Count the findings of ``chainer-fast check`` in Chainer's own tests and examples.

These are from version 7.8.1, so no name of Chainer in them has been removed: each
finding of such a name is a false alarm, and the exit status is 1 if there are any.
Names that NumPy, CuPy and Python have removed since then are also listed; these are
right.

    python compat/check_upstream.py PATH_TO_CHAINER
"""
import argparse
import os
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from chainer_fast._help.command.check import analysis, sources  # noqa: E402


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('path', help='a checkout of v7.8.1')
    path = parser.parse_args().path
    paths = sources.collect(
        [os.path.join(path, folder) for folder in ('examples', 'tests')])
    alarms = others = 0
    start = time.perf_counter()
    for name in paths:
        source = sources.Source(name)
        for finding in analysis.findings(source.text):
            # Names of packages that come with Chainer, and Chainer's own idioms.
            is_of_chainer = not finding.what.startswith((
                'numpy.', 'cupy.', 'cupyx.', 'scipy.', 'builtins.', 'collections.'))
            alarms += is_of_chainer
            others += not is_of_chainer
            print('%s:%d: %s' % (
                os.path.relpath(name, path), finding.line, finding.what))
    print('%d files in %.1f seconds: %d false alarms; %d uses of what other packages '
          'have dropped' % (len(paths), time.perf_counter() - start, alarms, others))
    return 1 if alarms else 0


if __name__ == '__main__':
    sys.exit(main())
