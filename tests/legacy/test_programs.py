"""Programs of earlier years print under legacy mode what they printed in their year."""
import platform
import re
from importlib import metadata

import numpy
import pytest
from packaging import version

from chainer_fast._help.past import removed
from tests.compat import processes
from tests.legacy import corpus


def test_every_program_has_figures():
    assert sorted(corpus.FIGURES) == corpus.NAMES


def test_marks_name_entries():
    marks = {what for name in corpus.NAMES for _, what in corpus.removed(name)}
    assert marks <= set(removed.entries())


def reported(text):
    """Return ``{(line, entry)}`` of a report."""
    found, what = set(), None
    for line in text.splitlines():
        place = re.match(r' {6}.*:(\d+)  ', line)
        if place:
            found.add((int(place[1]), what))
        else:
            what = line[2:].partition(' (last in')[0]
    return found


def is_still_here(entry):
    """Whether Python or a library has it still, or again, as NumPy 2 has bool."""
    owner, _, name = entry.what.rpartition('.')
    if owner == 'numpy' and hasattr(numpy, name):
        return True
    package, _, last = entry.last.rpartition(' ')
    if package == 'Python':
        present = platform.python_version()
    else:
        try:
            present = metadata.version(package)
        except (metadata.PackageNotFoundError, ValueError):
            return False
    return version.Version(present).release[:2] <= version.Version(last).release


@pytest.mark.parametrize('name', corpus.NAMES)
def test_program(name, tmp_path):
    done = processes.start('-m', 'chainer_fast', corpus.legacy_option(name),
                           corpus.FOLDER / name, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    expected = corpus.FIGURES[name]['lines']
    assert len(lines) == len(expected)
    for line, expected_line in zip(lines, expected, strict=True):
        assert corpus.same(line, expected_line), (line, expected_line)
    report = done.stderr[done.stderr.rindex('legacy mode'):]
    adapted = {(line, what) for line, what in corpus.removed(name)
               if removed.entries()[what].part}
    assert reported(report) <= adapted
    assert {what for _, what in adapted - reported(report)
            if not is_still_here(removed.entries()[what])} == set()
