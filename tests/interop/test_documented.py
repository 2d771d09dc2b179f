"""The examples of the pages on PyTorch run."""
import doctest
import pathlib
import re

import pytest

pytest.importorskip('torch')
pytest.importorskip('safetensors')

PAGES = pathlib.Path(__file__).parents[2] / 'docs'


@pytest.mark.parametrize('name', ['interop.md', 'to-pytorch.md'])
def test_examples(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = PAGES / name
    text = '\n'.join(re.findall(r'```python\n(.*?)```', page.read_text(), re.DOTALL))
    test = doctest.DocTestParser().get_doctest(text, {}, name, str(page), 0)
    assert len(test.examples) > 30
    failures = []
    doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS).run(
        test, out=failures.append)
    assert not failures, ''.join(failures)
