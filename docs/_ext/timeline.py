"""Draws a part of a trace: what its first thread does.

    python -m chainer_fast --profile=trace.json examples/mnist/train_mnist.py
    python docs/_ext/timeline.py trace.json 1200 1225 > docs/_static/profile.svg

The numbers are the milliseconds at which the picture begins and ends.
"""
import html
import json
import sys

WIDTH, LEFT, HEIGHT, LETTER = 900, 8, 17, 6.2
COLOURS = ('#9ecae9', '#b7dba5', '#f6c99b', '#d9c0e4', '#f3b7b3', '#a9dcd6', '#ead98b',
           '#c9cfd6')


def rows_of(events, begin, end):
    """Yield the boxes of each thread: row, left and right edge from 0 to 1, name."""
    ends = []
    for event in sorted(events, key=lambda event: (event['ts'], -event['dur'])):
        right = event['ts'] + event['dur']
        while ends and ends[-1] <= event['ts']:
            ends.pop()
        ends.append(right)
        if begin < right and event['ts'] < end:
            left = max((event['ts'] - begin) / (end - begin), 0)
            yield len(ends) - 1, left, min((right - begin) / (end - begin), 1), event[
                'name']


def label(name, width):
    """Return as much of a name as a box of a width has room for."""
    room = int((width - 4) / LETTER)
    return '' if room < 3 else name if len(name) <= room else name[:room - 1] + '…'


def draw(events, begin, end):
    """Return the picture."""
    boxes = list(rows_of(events, begin, end))
    colours = {}
    height = HEIGHT * (max(row for row, *_ in boxes) + 1) + 30
    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-size="11" '
        'font-family="sans-serif">' % (WIDTH + 2 * LEFT, height),
        '<rect width="100%" height="100%" fill="#ffffff"/>']
    for k in range(6):
        x = LEFT + WIDTH * k / 5
        parts.append(
            '<path d="M%.1f 14V%d" stroke="#dddddd"/><text x="%.1f" y="11" '
            'fill="#555555" text-anchor="%s">%.0f ms</text>' % (
                x, height, x, ('middle', 'start', 'end')[(k == 0) - (k == 5)],
                (end - begin) * k / 5e3))
    for row, left, right, name in boxes:
        x, y, width = LEFT + WIDTH * left, 20 + HEIGHT * row, WIDTH * (right - left)
        if width < .4:
            continue
        colour = colours.setdefault(
            name.partition(' ')[0], COLOURS[len(colours) % len(COLOURS)])
        parts.append(
            '<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s" stroke="#ffffff" '
            'stroke-width=".5"/>' % (x, y, width, HEIGHT - 1, colour))
        text = label(name, width)
        if text:
            parts.append('<text x="%.1f" y="%d" fill="#222222">%s</text>' % (
                x + 2, y + 12, html.escape(text)))
    return '\n'.join([*parts, '</svg>'])


def main(path, begin, end):
    with open(path, encoding='utf-8') as f:
        events = json.load(f)['traceEvents']
    of_first = [event for event in events if event['ph'] == 'X' and event['tid'] == 1]
    print(draw(of_first, float(begin) * 1e3, float(end) * 1e3))


if __name__ == '__main__':
    main(*sys.argv[1:])
