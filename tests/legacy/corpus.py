"""The programs of earlier years in tests/legacy/programs, and what is known of them.

The first line of a program tells what it was written for, and the options it needs:
``# Chainer 1.24, Python 2.7, --legacy=v1``; ``era: --gpu=-1`` are the arguments it got
in its year. A line that uses what is gone ends with ``# removed: ENTRY; ENTRY``, names
of entries of ``chainer_fast._help.past.removed``.
figures.json has what each program prints with its own version of Chainer;
compat/eras.py makes it.
"""
import json
import math
import pathlib
import re

FOLDER = pathlib.Path(__file__).parent / 'programs'
NAMES = sorted(path.name for path in FOLDER.glob('*.py'))
FIGURES = json.loads((FOLDER / 'figures.json').read_text(encoding='utf-8'))


def header(name):
    return (FOLDER / name).read_text(encoding='utf-8').splitlines()[0]


def legacy_option(name):
    return (re.findall(r'--legacy=[\w.,]*\w', header(name)) or ['--legacy'])[0]


def removed(name):
    """Return ``{(line, entry)}`` of what a program uses that is gone."""
    text = (FOLDER / name).read_text(encoding='utf-8')
    return {(number, what.strip())
            for number, line in enumerate(text.splitlines(), 1)
            for marks in re.findall('# removed: (.*)$', line)
            for what in marks.split(';')}


def same(line, expected, tolerance=2e-5):
    """Whether two lines have the same words, and numbers that differ by rounding."""
    words, expected_words = line.split(), expected.split()
    return len(words) == len(expected_words) and all(
        _same_word(*pair, tolerance)
        for pair in zip(words, expected_words, strict=True))


def _same_word(word, expected, tolerance):
    if word == expected:
        return True
    try:
        return math.isclose(float(word), float(expected), rel_tol=tolerance,
                            abs_tol=tolerance)
    except ValueError:
        return False
