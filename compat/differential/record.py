"""Files with cases and what Chainer made of them.

The first line has the public names of Chainer. Each other one has a valid case, the
changes that were made, Chainer's outcome, and the differences that are explained.
"""

import gzip
import json

#: How near numbers of a file are to those that were computed.
TOLERANCE = 2e-5


def _rounded(node):
    if isinstance(node, float):
        return float('%.6g' % node)
    if isinstance(node, list):
        return [_rounded(each) for each in node]
    if isinstance(node, dict):
        return {
            key: _rounded(each)
            for key, each in node.items()
            if key not in ('message', 'log')
        }
    return node


def write(path, names, rows):
    """Write the rows of cases."""
    with open(path, 'wb') as raw, gzip.GzipFile('', 'wb', 9, raw, mtime=0) as file:
        file.write(json.dumps(names).encode() + b'\n')
        for base, changes, outcome, explained in rows:
            line = [base, changes, _rounded(outcome), explained]
            file.write(json.dumps(line, separators=(',', ':')).encode() + b'\n')


def read(path):
    """Return the names of a file, and its rows."""
    with gzip.open(path, 'rt', encoding='utf-8') as file:
        names = json.loads(next(file))
        return names, [json.loads(line) for line in file]
