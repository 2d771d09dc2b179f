"""Checks the links of the built pages: ``python docs/check_links.py build/docs/html``.

Every file and anchor of these pages that one of them refers to must exist, and no
page may load anything from another host. ``make docs-links`` looks at other hosts.
"""
import html.parser
import pathlib
import sys
import urllib.parse

LOADED = {('script', 'src'), ('img', 'src'), ('link', 'href'), ('iframe', 'src'),
          ('source', 'src'), ('video', 'src')}


class Page(html.parser.HTMLParser):
    """The anchors of a page, and what it refers to."""

    def __init__(self, path):
        super().__init__()
        self.anchors, self.links = set(), []
        self.feed(path.read_text(encoding='utf-8'))

    def handle_starttag(self, tag, attrs):
        for key, value in attrs:
            if key in ('id', 'name') and value:
                self.anchors.add(value)
            elif key in ('href', 'src') and value is not None:
                self.links.append((tag, key, value))


def problems(root):
    pages = {path: Page(path) for path in sorted(root.rglob('*.html'))}
    for path, page in pages.items():
        for tag, key, link in page.links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme in ('data', 'mailto', 'javascript'):
                continue
            if parts.scheme or parts.netloc:
                if (tag, key) in LOADED:
                    yield '%s loads %s' % (path, link)
                continue
            target = path
            if parts.path:
                target = (path.parent / urllib.parse.unquote(parts.path)).resolve()
            anchor = urllib.parse.unquote(parts.fragment)
            if not target.is_file():
                yield '%s: there is no %s' % (path, link)
            elif anchor and target in pages and anchor not in pages[target].anchors:
                yield '%s: there is no anchor %s' % (path, link)
    print('%d pages, %d links' % (
        len(pages), sum(len(page.links) for page in pages.values())))


def main():
    found = list(problems(pathlib.Path(sys.argv[1]).resolve()))
    print('\n'.join(found))
    sys.exit(bool(found))


if __name__ == '__main__':
    main()
