"""Runs programs for older versions with their own Chainer, and stores their output.

The programs are tests/legacy/programs/*.py. The first line of each names the versions
it was written for, as in ``# Chainer 1.24, Python 2.7``; its output with these
versions is in figures.json in the same folder, and the tests compare it with the
output in legacy mode. Run this in one environment per version:

    python compat/eras.py 1.24=PYTHON27 2.1=PYTHON36 ... [--only NAME ...]
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = os.path.join(os.path.dirname(HERE), 'tests', 'legacy', 'programs')
FIGURES = os.path.join(PROGRAMS, 'figures.json')
VERSIONS = '''
import sys, chainer, numpy
print("Chainer %s, Python %s, NumPy %s" % (
    chainer.__version__, sys.version.split()[0], numpy.__version__))'''


def programs():
    """Return ``{name: (version of Chainer, arguments)}`` of all programs.

    The first line of a program that needs a GPU has the arguments to run it without
    one: ``era: --gpu=-1``.
    """
    found = {}
    for name in sorted(os.listdir(PROGRAMS)):
        if name.endswith('.py'):
            with open(os.path.join(PROGRAMS, name), encoding='utf-8') as f:
                header = f.readline()
            found[name] = (re.match(r'# Chainer (\d+\.\d+)', header)[1],
                           re.findall(r'era: ([^\s,]+)', header))
    return found


def run(python, arguments):
    """Return what a Python prints, as lines."""
    environment = {key: value for key, value in os.environ.items()
                   if key not in ('PYTHONPATH', 'PYTHONHOME')}
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [python, '-W', 'ignore', *arguments], cwd=folder, env=environment,
            capture_output=True, text=True, timeout=600)
    if done.returncode:
        sys.exit('%s failed:\n%s' % (' '.join(arguments[:1]), done.stderr))
    return done.stdout.splitlines()


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('pythons', nargs='+', metavar='VERSION=PYTHON',
                        help='an interpreter that imports that version of Chainer')
    parser.add_argument('--only', nargs='*', metavar='NAME',
                        help='programs to run (default: all of these versions)')
    arguments = parser.parse_args()
    pythons = dict(pair.split('=', 1) for pair in arguments.pythons)
    figures = {}
    if os.path.exists(FIGURES):
        with open(FIGURES, encoding='utf-8') as f:
            figures = json.load(f)
    known = programs()
    for name, (version, options) in known.items():
        if version not in pythons or (arguments.only and name not in arguments.only):
            continue
        python = os.path.abspath(pythons[version])
        figures[name] = {'made_by': run(python, ['-c', VERSIONS])[0],
                         'lines': run(python, [os.path.join(PROGRAMS, name), *options])}
        print('%s: %d lines of %s' % (
            name, len(figures[name]['lines']), figures[name]['made_by']))
    with open(FIGURES, 'w', encoding='utf-8') as f:
        json.dump({name: figures[name] for name in sorted(figures) if name in known},
                  f, indent=1)
        f.write('\n')


if __name__ == '__main__':
    main()
