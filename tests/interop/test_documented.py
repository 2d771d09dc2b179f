"""The examples of docs/interop.md run."""
import doctest
import pathlib
import re

import pytest

pytest.importorskip('torch')
pytest.importorskip('safetensors')

PAGE = pathlib.Path(__file__).parents[2] / 'docs' / 'interop.md'


def test_examples(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = '\n'.join(re.findall(r'```python\n(.*?)```', PAGE.read_text(), re.DOTALL))
    test = doctest.DocTestParser().get_doctest(text, {}, 'interop.md', str(PAGE), 0)
    assert len(test.examples) > 30
    failures = []
    doctest.DocTestRunner(verbose=False).run(test, out=failures.append)
    assert not failures, ''.join(failures)
