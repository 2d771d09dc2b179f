"""Indentation that mixes tabs and spaces, which Python 3 rejects."""
import io

_COLUMNS = 8        # of a tab, in Python 2


def _tokens(text):
    from fissix.pgen2 import tokenize
    return tokenize.generate_tokens(io.StringIO(text).readline)


def _margin(line):
    return line[:len(line) - len(line.lstrip(' \t'))]


def _statements_and_insides(text):
    """Return the lines that begin statements, and those that begin inside a string."""
    from fissix.pgen2 import token, tokenize
    begins, inside = [], set()
    is_new = True
    for kind, _, (line, _), (last, _), _ in _tokens(text):
        if kind in (tokenize.NL, tokenize.COMMENT, token.INDENT, token.DEDENT):
            continue
        if is_new and kind != token.ENDMARKER:
            begins.append(line)
        is_new = kind == token.NEWLINE
        if kind == token.STRING:
            inside.update(range(line + 1, last + 1))
    return begins, inside


def with_spaces(text):
    """Replace the tabs of a source if Python 3 cannot determine its indentation.

    Parameters
    ----------
    text : str
        Source that Python 2 can parse.

    Returns
    -------
    text : str
        The source with leading tabs replaced by spaces, or unchanged.
    line : int or None
        The first line that Python 3 rejects, or None.
    """
    lines = text.split('\n')
    if not any('\t' in _margin(line) for line in lines):
        return text, None
    begins, inside = _statements_and_insides(text)
    line = _first_unclear(lines, begins)
    if line is None:
        return text, None
    return '\n'.join(
        content if number in inside else
        _margin(content).expandtabs(_COLUMNS) + content.lstrip(' \t')
        for number, content in enumerate(lines, 1)), line


def _first_unclear(lines, begins):
    """Return the first line whose indentation depends on tab width, or None."""
    depths = [(0, 0)]
    for number in begins:
        margin = _margin(lines[number - 1])
        wide, narrow = len(margin.expandtabs(_COLUMNS)), len(margin)
        while wide < depths[-1][0]:
            depths.pop()
        above = depths[-1]
        if wide > above[0]:
            depths.append((wide, narrow))
        if narrow != above[1] if wide == above[0] else narrow <= above[1]:
            return number
    return None
