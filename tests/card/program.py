"""Run cases of a module of ``programs``, each of which leaves a line of JSON.

    python -m tests.card.program MODULE BEGINNING [--tiny] [--seconds SECONDS]

Cases are those whose names begin so, in the order of the module. A case is a function
that returns figures, and raises where something is wrong. If the memory of the card is
too small for it, the case is skipped. Of the seconds, each case gets its share of those
that are left, for work that it repeats; after them no case begins.
"""
import argparse
import importlib
import json
import os
import sys
import time
import traceback

from tests.card import outcomes, rounds
from tests.doubles import host_cudnn, host_cupy


def run(cases, report=print, seconds=float('inf')):
    """Run cases.

    Parameters
    ----------
    cases : dict of str to callable
    report : callable
        Function of a line.
    seconds : float

    Returns
    -------
    bool
        Whether none of them went wrong.
    """
    fine, end = True, time.monotonic() + seconds
    for name in cases:
        report(json.dumps({'case': name, 'state': 'not run'}))
    for number, (name, case) in enumerate(cases.items()):
        begin, left = time.monotonic(), len(cases) - number
        if begin >= end:
            report('the time is over: %d cases did not run' % left)
            break
        report(json.dumps({'case': name, 'state': 'began'}))
        rounds.deadline = begin + (end - begin) / left
        found = {}
        try:
            found.update(state='passed', **case())
        except Exception as e:
            if type(e).__name__ == 'OutOfMemoryError':
                found.update(state='skipped', reason='out of memory')
            else:
                report(traceback.format_exc())
                found.update(state='failed', reason=' '.join(str(e).split())[:200])
        found['seconds'] = round(time.monotonic() - begin, 1)
        report(json.dumps({'case': name, **found}))
        if found['state'] == 'failed':
            fine = False
            if outcomes.lost():
                report('the card is lost to this process: %d cases did not run'
                       % (left - 1))
                break
    return fine


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('module')
    parser.add_argument('beginning')
    parser.add_argument('--tiny', action='store_true')
    parser.add_argument('--seconds', type=float, default=float('inf'))
    args = parser.parse_args()
    if args.tiny and not host_cupy.has_gpu():
        sys.modules['cudnn'] = host_cudnn.make()
        os.environ['CHAINER_CUDNN_CACHE_DIR'] = ''      # which is for those of cuDNN
    host_cupy.install_unless_gpu()
    module = importlib.import_module('tests.card.programs.' + args.module)
    cases = {name: case for name, case in module.cases(args.tiny).items()
             if name.startswith(args.beginning)}
    if not cases:
        parser.error('no case begins with %r' % args.beginning)
    return int(not run(cases, lambda line: print(line, flush=True), args.seconds))


if __name__ == '__main__':
    sys.exit(main())
