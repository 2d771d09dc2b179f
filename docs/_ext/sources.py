"""Corrects the pages of sources that ``sphinx.ext.viewcode`` makes.

It takes all names in a file for those of one module, and lists compiled files,
which it cannot show.
"""
import re

from reference import IN_OTHER_FILES

BACK = re.compile(r'(reference/generated/([\w.]+)\.html)#([\w.]+)')


def anchor(match):
    """Return the link to a name with the anchor that its page has."""
    page, file, target = match.groups()
    name = IN_OTHER_FILES.get(file, file)
    last = name.rpartition('.')[2]
    parts = target.split('.')
    if last not in parts:
        return match.group()
    members = parts[parts.index(last) + 1:]
    return '%s#%s' % (page, '.'.join([name, *members]))


def correct_links(app, pagename, templatename, context, doctree):
    if pagename.startswith('_modules/'):
        context['body'] = BACK.sub(anchor, context['body'])


def leave_out_compiled(app):
    found = getattr(app.env, '_viewcode_modules', {})
    for name in [name for name, entry in found.items() if not entry]:
        del found[name]
    return []


def setup(app):
    app.connect('html-page-context', correct_links)
    app.connect('html-collect-pages', leave_out_compiled, priority=100)
    return {'parallel_read_safe': True, 'parallel_write_safe': True}
