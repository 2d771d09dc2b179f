"""Records what the released Chainer makes of odd labels.

    PYTHON_WITH_CHAINER -m tests.functions.odd_labels.record
"""
import importlib
import json
import pathlib
import sys

from tests.functions.odd_labels import calls
from tests.functions.outcomes import grouped

RECORDS = pathlib.Path(__file__).with_name('recorded.json')


def outcomes(chainer, call, arrays, labels):
    """Yield the name of each variant of a call, and its outcome."""
    for name, given in calls.variants(labels):
        for debug in False, True:
            yield name + ', debug' * debug, calls.outcome(
                chainer, call, arrays, given, debug)


def main(library, path):
    chainer = importlib.import_module(library)
    lines = []
    for line, *row in calls.table():
        found = grouped(outcomes(chainer, *row))
        lines.append('%s:%s' % (
            json.dumps(line), json.dumps(found, separators=(',', ':'))))
    pathlib.Path(path).write_text('{%s}\n' % ',\n'.join(lines), encoding='utf-8')


if __name__ == '__main__':
    main(*sys.argv[1:] or ('chainer', RECORDS))
