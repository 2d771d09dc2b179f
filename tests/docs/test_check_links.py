import runpy
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parents[2] / 'docs' / 'check_links.py'


@pytest.fixture
def found(tmp_path):
    """Return a function that checks two pages, the first with the given body."""
    problems = runpy.run_path(str(PROGRAM))['problems']
    (tmp_path / 'other').mkdir()
    (tmp_path / 'other' / 'page two.html').write_text('<h1 id="here">Two</h1>')

    def check(body):
        (tmp_path / 'index.html').write_text('<p id="top">%s</p>' % body)
        return list(problems(tmp_path))
    return check


@pytest.mark.parametrize('body', [
    '<a href="other/page%20two.html">two</a>',
    '<a href="other/page%20two.html#here">here</a>',
    '<a href="#top">top</a>',
    '<a href="https://example.org/anything#at-all">elsewhere</a>',
    '<a href="mailto:a@example.org">letter</a>',
    '<img src="data:image/gif;base64,AAAA">',
])
def test_right(found, body):
    assert found(body) == []


@pytest.mark.parametrize('body, message', [
    ('<a href="other/three.html">three</a>', 'there is no other/three.html'),
    ('<a href="other/page%20two.html#there">there</a>', 'no anchor other/page%20two'),
    ('<a href="#bottom">bottom</a>', 'there is no anchor #bottom'),
    ('<img src="picture.png">', 'there is no picture.png'),
    ('<script src="https://example.org/a.js"></script>', 'loads https://example.org'),
    ('<link rel="stylesheet" href="//example.org/a.css">', 'loads //example.org/a.css'),
])
def test_wrong(found, body, message):
    problem, = found(body)
    assert message in problem


def test_program(tmp_path):
    (tmp_path / 'index.html').write_text('<a href="nowhere.html">no</a>')
    run = subprocess.run([sys.executable, str(PROGRAM), str(tmp_path)],
                         capture_output=True, text=True)
    assert run.returncode == 1
    assert 'nowhere.html' in run.stdout
