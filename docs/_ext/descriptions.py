"""A description of each page, for search engines and previews of links.

It is the beginning of the page's first paragraph.
"""
import html
import textwrap

from docutils import nodes

LENGTH = 160


def description(doctree):
    """Return the beginning of the first paragraph, '' if there is none."""
    for paragraph in doctree.findall(nodes.paragraph):
        text = ' '.join(paragraph.astext().split())
        if text and not isinstance(paragraph.parent, nodes.Admonition):
            return textwrap.shorten(text, LENGTH, placeholder=' ...')
    return ''


def add(app, pagename, templatename, context, doctree):
    text = doctree and description(doctree)
    if text:
        context['metatags'] += '\n<meta name="description" content="%s">' % (
            html.escape(text))


def setup(app):
    app.connect('html-page-context', add)
    return {'parallel_read_safe': True, 'parallel_write_safe': True}
