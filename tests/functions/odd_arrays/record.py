"""Records what the released Chainer makes of odd arrays.

    PYTHON_WITH_CHAINER -m tests.functions.odd_arrays.record
"""
import importlib
import json
import pathlib
import sys

from tests.functions.odd_arrays import calls
from tests.functions.outcomes import grouped

RECORDS = pathlib.Path(__file__).with_name('recorded.json')


def main(library, path):
    chainer = importlib.import_module(library)
    lines = ['[%s,%s]' % (
        json.dumps('%s | %s' % row),
        json.dumps(grouped([
            (name, calls.outcome(chainer, *row, *variant))
            for name, *variant in calls.variants(row[0])]), separators=(',', ':')))
        for row in calls.table()]
    pathlib.Path(path).write_text('[%s]\n' % ',\n'.join(lines), encoding='utf-8')


if __name__ == '__main__':
    main(*sys.argv[1:] or ('chainer', RECORDS))
