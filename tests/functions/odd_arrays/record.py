"""Records what the released Chainer makes of odd arrays.

    PYTHON_WITH_CHAINER -m tests.functions.odd_arrays.record
"""
import importlib
import json
import pathlib
import sys

from tests.functions.odd_arrays import calls

RECORDS = pathlib.Path(__file__).with_name('recorded.json')


def outcomes(chainer, arrays, call):
    """Return the outcomes of all variants of a call, with the variants of each."""
    found = []
    for name, *variant in calls.variants(arrays):
        outcome = calls.outcome(chainer, arrays, call, *variant)
        for each, names in found:
            if each == outcome:
                names.append(name)
                break
        else:
            found.append((outcome, [name]))
    return found


def main(library, path):
    chainer = importlib.import_module(library)
    lines = ['[%s,%s]' % (
        json.dumps('%s | %s' % row),
        json.dumps(outcomes(chainer, *row), separators=(',', ':')))
        for row in calls.table()]
    pathlib.Path(path).write_text('[%s]\n' % ',\n'.join(lines), encoding='utf-8')


if __name__ == '__main__':
    main(*sys.argv[1:] or ('chainer', RECORDS))
