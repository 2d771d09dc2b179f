"""The sources of the pages: their links, their size, and what code says of them."""
import re
import urllib.parse
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted(path.relative_to(ROOT).as_posix() for path in [
    *ROOT.glob('*.md'), *ROOT.glob('docs/**/*.md'), *ROOT.glob('benchmarks/*.md'),
    *ROOT.glob('tests/**/*.md')])
MADE = ('docs/figures/', 'docs/auto_gallery/', 'docs/reference/generated/')
SOURCES = ['chainer_fast', 'tests', 'benchmarks', 'compat', 'docs', 'examples']
LINK = re.compile(r'(?<!`)\]\(([^()\s]+(?:\([^()\s]*\)[^()\s]*)?)\)')


def text_of(page):
    """Return a page without its code."""
    text = re.sub(r'^(```+).*?^\1', '', (ROOT / page).read_text(encoding='utf-8'),
                  flags=re.M | re.S)
    return re.sub(r'^ {4}.*$', '', text, flags=re.M)


def anchors(page):
    """Return the anchors of headings, as code hosts and Sphinx have them."""
    headings = re.findall(r'^#+ (.+)$', text_of(page), re.M)
    found, seen = set(), {}
    for heading in headings:
        heading = re.sub(r'\[([^]]*)\]\([^)]*\)', r'\1', heading)
        name = re.sub(r'[^\w\- ]', '', heading.strip().lower()).replace(' ', '-')
        seen[name] = seen.get(name, -1) + 1
        found.add('%s-%d' % (name, seen[name]) if seen[name] else name)
    return found


def dead_links(page):
    for link in LINK.findall(text_of(page)):
        parts = urllib.parse.urlsplit(link)
        if parts.scheme or parts.netloc:
            continue
        target = page
        if parts.path:
            path = ((ROOT / page).parent / urllib.parse.unquote(parts.path)).resolve()
            target = path.relative_to(ROOT).as_posix()
        if target.startswith(MADE):
            continue
        there = (ROOT / target).exists() or (ROOT / (target + '.rst')).exists()
        if there and parts.fragment and target.endswith('.md'):
            there = parts.fragment in anchors(target)
        if not there:
            yield link


@pytest.mark.parametrize('page', [p for p in PAGES if not p.startswith(MADE)])
def test_links_lead_somewhere(page):
    assert list(dead_links(page)) == []


def test_dead_links_are_found(tmp_path, monkeypatch):
    monkeypatch.setattr(f'{__name__}.ROOT', tmp_path)
    (tmp_path / 'a.md').write_text(
        '# A (b)\n\n[x](b.md) [y](#a-b) [z](#b) [w](c.md) [v](b.md#c)\n\n'
        '    [code](d.md)\n')
    (tmp_path / 'b.md').write_text('# B\n')
    assert list(dead_links('a.md')) == ['#b', 'c.md', 'b.md#c']


def test_code_names_pages_that_are_there():
    missing = []
    for folder in SOURCES:
        for path in (ROOT / folder).rglob('*'):
            if path.suffix in ('.py', '.pyx', '.pxd', '.pxi', '.hpp', '.sh', '.toml'):
                text = path.read_text(encoding='utf-8')
                for page in re.findall(r'\bdocs/[\w/\-]+\.(?:md|rst)\b', text):
                    if not (ROOT / page).exists():
                        missing.append((path.relative_to(ROOT).as_posix(), page))
    assert missing == []


def test_the_page_on_performance_is_for_users():
    """What has made it fast, and the figures of each step, are in docs/notebook/."""
    lines = (ROOT / 'docs/performance.md').read_text(encoding='utf-8').splitlines()
    assert len(lines) <= 250
