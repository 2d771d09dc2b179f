"""The check of words finds what its table lists, in prose and nowhere else."""
import re

import pytest

from tests.prose import check

WORDS = check.read_words(check.HERE / 'words.tsv')


def found_in(text, name, folder):
    path = folder / name
    path.write_text(text)
    return [(match.line, match.text) for match in check.matches(path, WORDS)]


@pytest.mark.parametrize('name, text, line', [
    ('page.md', 'One line.\n\nThe training goes\non with it.\n', 3),
    ('module.py', 'def f():\n    """Tell whether it is so."""\n', 2),
    ('module.py', "raise ValueError(\n    'the loader '\n    'wants a file')\n", 3),
    ('module.py', "raise ValueError(\n    'the training goes '\n    'on')\n", 2),
    ('module.py', 'x = 1  # None stands for zeros\n', 1),
    ('module.py', '# None stands\n# for zeros\n', 1),
    ('module.pyx', 'cdef int *x = &y   # whoever asks\n', 1),
    ('module.pxi', 'cdef class A:\n    """Speaks DLPack."""\n', 2),
    ('loops.hpp', '/* A loop that goes\n * on. */\n', 1),
    ('loops.cc', 'int a;\n// made anew\n', 2),
    ('Makefile', "help:\n\t@echo 'make card  tells what it does'\n", 2),
])
def test_words_are_found_in_prose(name, text, line, tmp_path):
    assert [at for at, _ in found_in(text, name, tmp_path)] == [line]


@pytest.mark.parametrize('name, text', [
    ('page.md', 'Call `file.tell()`.\n\n```python\n# tells\n```\n\n    tells\n'),
    ('page.md', 'See [the page](what_it_tells.md).\n'),
    ('module.py', 'tell = file.tell()\n'),
    ('module.py', 'def f():\n    """Returns.\n\n    >>> tell\n    told\n    """\n'),
    ('module.py', 'x = f("goes", on="it")\n'),
    ('loops.hpp', 'int anew = told;\n'),
    ('Makefile', 'tells:\n\t$(anew) told\n'),
])
def test_words_of_code_are_not_found(name, text, tmp_path):
    assert found_in(text, name, tmp_path) == []


@pytest.mark.parametrize('text', [
    'You want to train a model.', 'Is there a gradient? There is room for it.',
    'Examples that are asked for, as for a value.', 'The call takes 3 seconds.'])
def test_usual_english_is_accepted(text, tmp_path):
    assert found_in(text, 'page.md', tmp_path) == []


def test_exceptions_name_a_line_and_are_in_use(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / 'page.md').write_text('He said so.\n')
    allowed = tmp_path / 'allowed.tsv'
    arguments = ['page.md', '--allowed', str(allowed)]

    allowed.write_text('# path\ttext\treason\n')
    assert check.main(arguments) == 1
    assert capsys.readouterr().out.startswith('page.md:1: He said so.\n')

    allowed.write_text('page.md\tHe said so\ta quotation\n')
    assert check.main(arguments) == 0
    assert capsys.readouterr().out == ''

    (tmp_path / 'page.md').write_text('It is specified.\n')
    assert check.main(arguments) == 1
    assert 'nothing matches' in capsys.readouterr().out


def test_each_row_has_a_replacement_and_a_reason():
    for word in WORDS:
        assert word.instead and word.reason
        assert not re.search(word.pattern, word.instead)


def test_exceptions_have_a_reason_and_a_file():
    for path, text, reason in check.rows(check.HERE / 'allowed.tsv'):
        assert text and reason
        assert (check.HERE.parents[1] / path).is_file()


def test_the_files_of_the_package_are_checked(monkeypatch):
    monkeypatch.chdir(check.HERE.parents[1])
    checked = {path.as_posix() for path in check.files(check.PATHS)}
    assert {'README.md', 'Makefile', 'docs/start.md', 'chainer_fast/__init__.py',
            'chainer_fast/_cpu/pool.hpp'} <= checked
    assert not any('auto_gallery' in path or 'build' in path.split('/')
                   for path in checked)
