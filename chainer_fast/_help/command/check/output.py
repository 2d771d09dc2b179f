"""Findings as text, JSON and SARIF."""
import collections
import json
import os
import urllib.parse
from typing import Any, NamedTuple

from chainer_fast._help import installation


class Result(NamedTuple):
    """The result for one file: a ``Source``, its findings, what --fix would do."""

    source: Any
    findings: list
    diff: str = ''


def _message(finding):
    if not finding.last:    # the list does not know that it ever existed
        return '%s does not exist: %s' % (finding.what, finding.instead)
    return '%s is gone (last in %s): %s' % (
        finding.what, finding.last, finding.instead)


def _files(number):
    return '%d file%s' % (number, '' if number == 1 else 's')


def plain_text(results, problems=()):
    """Return a line for each finding, and a summary.

    ``problems`` are messages about files that could not be read.
    """
    lines = ['%s:%s:%d: %s' % (result.source.path, result.source.place(finding.line),
                               finding.column + 1, _message(finding))
             for result in results for finding in result.findings]
    counts = collections.Counter(finding.what for result in results
                                 for finding in result.findings)
    files = _files(len(results))
    unread = '; %s could not be read' % _files(len(problems)) if problems else ''
    if not results and problems:
        return unread.removeprefix('; ')
    if not counts:
        return 'nothing is gone in %s%s' % (files, unread)
    if len(counts) > 1:
        lines += ['', 'how often:']
        width = len(str(max(counts.values())))
        lines += ['  %*d  %s' % (width, number, what) for what, number in sorted(
            counts.items(), key=lambda item: (-item[1], item[0]))]
    total = sum(counts.values())
    lines.append('%d finding%s in %d of %s%s' % (
        total, '' if total == 1 else 's',
        sum(bool(result.findings) for result in results), files, unread))
    return '\n'.join(lines)


def json_text(results, problems=()):
    """Return the findings as a JSON object."""
    return json.dumps({
        'files': len(results),
        'findings': [{
            'path': result.source.path, 'place': result.source.place(finding.line),
            'line': finding.line, 'column': finding.column + 1,
            'end_line': finding.end_line, 'end_column': finding.end_column + 1,
            'what': finding.what, 'instead': finding.instead, 'last': finding.last}
            for result in results for finding in result.findings],
        'diffs': {result.source.path: result.diff
                  for result in results if result.diff},
        'unreadable': list(problems),
    }, indent=1)


def _uri(path):
    """Return a path for SARIF: relative if it is below the working folder."""
    inside = os.path.relpath(path)
    if inside.startswith(os.pardir):
        return 'file://' + urllib.parse.quote(os.path.abspath(path).replace(
            os.sep, '/'))
    return urllib.parse.quote(inside.replace(os.sep, '/'))


def sarif_text(results, problems=()):
    """Return the findings as a SARIF 2.1.0 log with one run."""
    rules = {}
    for result in results:
        for finding in result.findings:
            rules.setdefault(finding.what, finding)
    order = {what: number for number, what in enumerate(sorted(rules))}
    return json.dumps({
        '$schema': 'https://json.schemastore.org/sarif-2.1.0.json',
        'version': '2.1.0',
        'runs': [{
            'tool': {'driver': {
                'name': 'chainer-fast check',
                'version': installation.version(),
                'rules': [{
                    'id': what,
                    'shortDescription': {'text': '%s is gone' % what},
                    'help': {'text': rules[what].instead},
                } for what in order],
            }},
            'columnKind': 'unicodeCodePoints',
            'invocations': [{
                'executionSuccessful': not problems,
                'toolExecutionNotifications': [
                    {'level': 'error', 'message': {'text': problem}}
                    for problem in problems]}],
            'results': [{
                'ruleId': finding.what,
                'ruleIndex': order[finding.what],
                'level': 'error',
                'message': {'text': _message(finding)},
                'locations': [{'physicalLocation': {
                    'artifactLocation': {'uri': _uri(result.source.path)},
                    'region': {
                        'startLine': finding.line,
                        'startColumn': finding.column + 1,
                        'endLine': max(finding.end_line, finding.line),
                        'endColumn': max(finding.end_column, 0) + 1},
                }}],
            } for result in results for finding in result.findings],
        }],
    }, indent=1)
