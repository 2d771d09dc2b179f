"""Examples with little or no data: the tour of Chainer, and serialization."""
import random

from stand_ins.run import Run


def _mushrooms(folder, cache):
    """Write a table of letters whose first column depends on a few of the others."""
    stream = random.Random(0)
    letters = 'abcdef'
    rows = [','.join(['class', *('property-%d' % i for i in range(22))])]
    for _ in range(400):
        row = [stream.choice(letters[:2 + i % 5]) for i in range(22)]
        rows.append(','.join(['p' if row[4] == 'a' or row[8] == 'b' else 'e', *row]))
    (folder / 'mushrooms.csv').write_text('\n'.join(rows) + '\n')


RUNS = [
    Run('glance/glance.py', (), _mushrooms, needs=('matplotlib',),
        prints=r'(?s)\n *50 + .*Predicted (Edible|Poisonous), Actual',
        produces=('result/log', 'result/cg.dot', 'result/loss.png',
                  'result/accuracy.png', 'result/snapshot_iter_112')),
    Run('serialization/save.py', needs=('h5py',), produces=('model.npz', 'model.h5'),
        then=(Run('serialization/load.py', prints=r'/l3/b \(10,\)'),)),
]
