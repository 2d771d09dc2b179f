"""Compare trainings with those of a released Chainer, number by number.

Eight small trainings based on Chainer's examples (compat/trainings/) run for 100 steps
in both, with equal seeds. In float64, the losses and all parameters after the last step
have to agree to 1e-10. In float32, each library is compared with the float64 run of
Chainer: the table has the error, and its ratio to Chainer's own error.

An error of numbers is their largest difference, divided by the largest number; a figure
is the median over the seeds.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy
import sklearn.datasets

HERE = pathlib.Path(__file__).resolve().parent
NAMES = ('mnist', 'cifar', 'vae', 'dcgan', 'ptb', 'seq2seq', 'word2vec', 'word2vec_bag')
LIMIT = 1e-10
# Where rounding errors are magnified like in chaos, a median of ten differs by chance.
RATIO_LIMIT = 2.


def write_data(path):
    """Write digits, and a text of 30 words that depend on the word before."""
    digits = sklearn.datasets.load_digits()
    random = numpy.random.RandomState(0)
    likely = random.permutation(30)
    words = [0]
    for _ in range(1999):
        guess = likely[words[-1]] if random.uniform() < .7 else random.randint(30)
        words.append(guess)
    numpy.savez(path, digits=digits.images / 16, labels=digits.target.astype('i'),
                words=numpy.array(words, 'i'))


def run(command, data, result, *args):
    """Run a training in a separate process and return its output."""
    environment = dict(os.environ, OMP_NUM_THREADS='1', OPENBLAS_NUM_THREADS='1')
    if command[0] != sys.executable:
        environment.pop('PYTHONPATH', None)
    worker = str(HERE / 'trainings' / 'small_examples.py')
    subprocess.run([*command, worker, data, result, *args], env=environment, check=True)
    with numpy.load(result) as found:
        return dict(found)


def error(found, expected):
    return float(numpy.abs(found - expected).max() / numpy.abs(expected).max())


def compare(sides, seeds):
    """Return a row of the table.

    Parameters
    ----------
    sides : dict
        What the runs wrote, by (side, dtype); sides are ``'ours'`` and ``'Chainer'``.
    seeds : int
    """
    def errors(side, dtype, name):
        last = slice(-1, None) if name == 'losses' else slice(None)
        keys = ['%s_%d' % (name, seed) for seed in range(seeds)]
        return [error(sides[side, dtype][key][last], sides['Chainer', 'd'][key][last])
                for key in keys]

    row = {name: [numpy.median(errors(side, 'f', name)) for side in ('ours', 'Chainer')]
           for name in ('losses', 'parameters')}
    row['float64'] = max(
        errors('ours', 'd', 'losses') + errors('ours', 'd', 'parameters'))
    row['draws'] = all(
        sides['ours', dtype]['draw_%d' % seed]
        == sides['Chainer', dtype]['draw_%d' % seed]
        for dtype in 'fd' for seed in range(seeds))
    return row


def report(rows):
    """Print the table; return whether all is as it should be."""
    print('| example | float64 | float32, loss | Chainer | ratio '
          '| float32, parameters | Chainer | ratio | draws |')
    print('| --- ' * 9 + '|')
    good = True
    for name, row in rows.items():
        cells = [name, '%.1e' % row['float64']]
        ratios = []
        for key in 'losses', 'parameters':
            ours, theirs = row[key]
            ratios.append(ours / theirs if theirs else float(ours > 0))
            cells += ['%.1e' % ours, '%.1e' % theirs, '%.2f' % ratios[-1]]
        cells.append('same' if row['draws'] else 'other')
        print('| %s |' % ' | '.join(cells))
        good &= row['float64'] <= LIMIT and row['draws'] and max(ratios) <= RATIO_LIMIT
    return good


def main(args=None):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('python', metavar='PYTHON_WITH_CHAINER',
                        help='an interpreter that has Chainer 7.8.1')
    parser.add_argument('--only', nargs='+', choices=NAMES, default=NAMES,
                        metavar='NAME', help='some of: ' + ', '.join(NAMES))
    parser.add_argument('--steps', type=int, default=100)
    parser.add_argument('--seeds', type=int, default=10, help='number of seeds')
    options = parser.parse_args(args)
    commands = {'ours': [sys.executable, '-W', 'ignore', '-m', 'chainer_fast'],
                'Chainer': [options.python, '-W', 'ignore']}
    rows = {}
    with tempfile.TemporaryDirectory() as folder:
        data, result = (os.path.join(folder, name) for name in ('d.npz', 'r.npz'))
        write_data(data)
        for name in options.only:
            sides = {}
            for dtype in 'fd':
                for side, command in commands.items():
                    print('%s, %s, %s' % (name, numpy.dtype(dtype), side),
                          file=sys.stderr)
                    sides[side, dtype] = run(
                        command, data, result, dtype, str(options.steps),
                        str(options.seeds), name)
            rows[name] = compare(sides, options.seeds)
    return 0 if report(rows) else 1


if __name__ == '__main__':
    sys.exit(main())
