"""Loads the npz and HDF5 files of make.py, and compares what the objects then do.

Run by any Python that imports chainer, it prints a line for each file that does not
load or gives other figures than the version that wrote it.
"""
import argparse
import os
import warnings

import chainer
import make
import old_cases


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('archives', nargs='+', help='archives that make.py wrote')
    arguments = parser.parse_args()
    warnings.simplefilter('ignore')
    cases = old_cases.cases()
    for path in arguments.archives:
        with open(path, 'rb') as f:
            facts, files = old_cases.members(f)
        n_right = 0
        for name in sorted(files):
            key, _, suffix = name.rpartition('.')
            if suffix not in ('npz', 'h5'):
                continue
            try:
                obj = make.loaded(files[name], cases[key], suffix)
                old_cases.go_on_as_then(obj, facts)
                found = cases[key].facts(obj)
            except Exception as error:
                text = '%s: %s' % (type(error).__name__, error)
            else:
                text = old_cases.difference(
                    found, old_cases.facts_of(name, facts))
            n_right += not text
            if text:
                print('%s %s: %s' % (os.path.basename(path), name, text))
        print('%s read by Chainer %s: %d files right' % (
            facts['made_by'], chainer.__version__, n_right))


if __name__ == '__main__':
    main()
