#!/usr/bin/env python3
"""Exchange snapshots with a released Chainer, in both directions.

The release loads files that chainer_fast writes, and vice versa: models, optimizers
before and after steps, and trainers, as npz and HDF5. Every number is compared. The
release needs a separate environment, created for instance by

    python3.11 -m venv chainer7
    chainer7/bin/pip install 'setuptools<70' wheel numpy==1.23.5 protobuf==3.20.3
    chainer7/bin/pip install 'h5py<3.12'
    chainer7/bin/pip install --no-build-isolation chainer==7.8.1
"""
import argparse
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPT = os.path.join(
    HERE, os.pardir, 'tests', 'serializers', 'data', 'make_snapshots.py')


def main(argv=None):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('python', help='interpreter that has the released Chainer')
    parser.add_argument(
        '--keep', metavar='FOLDER', help='leave the snapshots in this folder')
    args = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as temporary:
        return exchange(args.python, args.keep or temporary)


def exchange(python, folder):
    here = sys.executable, 'chainer_fast'
    there = python, 'chainer'
    n_failed = 0
    for writer, reader in (here, there), (there, here):
        snapshots = os.path.join(folder, 'of_' + writer[1])
        print('written by %s, loaded by %s' % (writer[1], reader[1]))
        for action, (interpreter, module) in ('write', writer), ('check', reader):
            n_failed += subprocess.run(
                [interpreter, SCRIPT, action, snapshots, module],
                env=environment(module)).returncode
    print('all right' if not n_failed else 'FAILED')
    return bool(n_failed)


def environment(module):
    """Return the environment, with this checkout for chainer_fast only."""
    env = {key: value for key, value in os.environ.items() if key != 'PYTHONPATH'}
    if module == 'chainer_fast':
        env['PYTHONPATH'] = os.path.dirname(HERE)
    env['PYTHONDONTWRITEBYTECODE'] = '1'
    return env


if __name__ == '__main__':
    sys.exit(main())
