"""Makes calls of one kind from seeds, and prints what is wrong.

    python -m tests.fuzz graphs 0 1000       programs, from the first seed up to another
    python -m tests.fuzz graphs 17 18        one call again
    python -m tests.fuzz forms 0 1000        compiled kernels
    python -m tests.fuzz updates 0 1000      optimizers
    python -m tests.fuzz chains 0 1000       static chains
    python -m tests.fuzz hooks 0 1000        code of the user's that runs meanwhile
"""
import faulthandler
import importlib
import sys
import warnings


def main(kind, first, last):
    """Make calls; each is announced before it is made."""
    faulthandler.enable()
    # Changed arrays overflow, and no call is to fail for a warning.
    warnings.simplefilter('ignore')
    module = importlib.import_module('tests.fuzz.' + kind)
    for seed in range(int(first), int(last)):
        print('seed', seed, flush=True)
        fault = module.compare(seed)
        if fault is not None:
            print('fault', kind, repr(fault), flush=True)


main(*sys.argv[1:])
