"""Keeps a number and its unit in one line of a table."""
import re

from docutils import nodes
from sphinx.transforms import SphinxTransform

# Such as `49.1 ms` in a narrow column.
UNIT = re.compile(r'(?<=\d) (?=(?:ns|us|ms|s|h|min|B|KB|MB|GB|KiB|MiB|GiB|%)\b|%)')


class NoBreaks(SphinxTransform):
    """Replaces the blank between a number and its unit within tables."""

    default_priority = 900

    def apply(self):
        for entry in self.document.findall(nodes.entry):
            for text in list(entry.findall(nodes.Text)):
                joined = UNIT.sub('\N{NO-BREAK SPACE}', text)
                if joined != text and not isinstance(text.parent, nodes.literal):
                    text.parent.replace(text, nodes.Text(joined))


def setup(app):
    app.add_transform(NoBreaks)
    return {'parallel_read_safe': True, 'parallel_write_safe': True}
