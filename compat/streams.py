"""Record the random numbers that a released Chainer draws around its iterators.

The figures are in ``tests/iterators/streams.json``; ``test_streams.py`` in the same
folder compares chainer_fast with them. Write new cases into that file by hand, without
``drawn``.

Usage: python compat/streams.py PYTHON_WITH_CHAINER
"""
import argparse
import json
import pathlib
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parents[1] / 'tests' / 'iterators'


def main(args=None):
    parser = argparse.ArgumentParser(description=__doc__.split('\n\n')[0])
    parser.add_argument('python', metavar='PYTHON_WITH_CHAINER',
                        help='an interpreter that has Chainer 7.8.1')
    parser.add_argument('--check', action='store_true',
                        help='only list the figures that differ from the recorded ones')
    options = parser.parse_args(args)
    path = FOLDER / 'streams.json'
    cases = json.loads(path.read_text())
    done = subprocess.run(
        [options.python, '-W', 'ignore', str(FOLDER / 'streams.py')],
        input=json.dumps(cases), stdout=subprocess.PIPE, text=True, check=True)
    differing = 0
    for case, drawn in zip(cases, json.loads(done.stdout), strict=True):
        if case.get('drawn') != drawn:
            differing += 1
            print('differs: %(iterator)s %(arguments)s %(steps)s' % case)
        case['drawn'] = drawn
    print('%d cases, %d differ from the recorded ones' % (len(cases), differing))
    if options.check:
        return int(differing > 0)
    path.write_text('[\n%s\n]\n' % ',\n'.join(map(json.dumps, cases)))
    return 0


if __name__ == '__main__':
    sys.exit(main())
