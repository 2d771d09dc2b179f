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
SUFFIXES = ['.py', '.pyx', '.pxd', '.pxi', '.hpp', '.cc', '.sh', '.toml']
SOURCES = ['.ci', 'chainer_fast', 'tests', 'benchmarks', 'compat', 'docs', 'examples']
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
            if path.suffix in SUFFIXES:
                text = path.read_text(encoding='utf-8')
                for page in re.findall(r'\bdocs/[\w/\-]+\.(?:md|rst)\b', text):
                    if not (ROOT / page).exists():
                        missing.append((path.relative_to(ROOT).as_posix(), page))
    assert missing == []


#: Pages for those who work on the package name its files, by the end of their paths.
MAINTAINERS = ['CONTRIBUTING.md', 'docs/architecture.md', 'tests/doubles/README.md',
               *[page for page in PAGES if page.startswith('docs/notebook/')]]
FILE = re.compile(
    r'`([\w/.-]+\.(?:py|p[xy][xid]?|hpp|cc|cpp|md|tsv|txt|json|sh|toml))`')


@pytest.fixture(scope='module')
def paths():
    """The paths of all files, and each of their ends."""
    found = {path.name for path in ROOT.iterdir()}
    for folder in SOURCES:
        for path in (ROOT / folder).rglob('*.*'):
            parts = path.relative_to(ROOT).parts
            found |= {'/'.join(parts[i:]) for i in range(len(parts))}
    return found


@pytest.mark.parametrize('page', MAINTAINERS)
def test_pages_name_files_that_are_there(page, paths):
    named = FILE.findall(text_of(page))
    assert [name for name in named
            if name not in paths and not re.search('NAME|VERSION', name)] == []


def test_the_page_on_performance_is_for_users():
    """What has made it fast, and the figures of each step, are in docs/notebook/."""
    lines = (ROOT / 'docs/performance.md').read_text(encoding='utf-8').splitlines()
    assert len(lines) <= 250
