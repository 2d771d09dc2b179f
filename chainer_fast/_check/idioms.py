"""Idioms that are no name: each is looked for in its own way."""


def check(checker, node, scope):
    """Report the idioms that a node is."""
