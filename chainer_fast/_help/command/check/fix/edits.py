"""Changes to a source, at the positions of nodes of its syntax tree."""


def place(node):
    """Return the key of a node of the syntax tree: its first and last position."""
    return (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)


class Edits:
    """Changes made by one pass over a source.

    Attributes
    ----------
    expressions : dict
        Code for the expressions at some positions.
    arguments : dict
        Code for the arguments of calls at some positions; None removes one.
    added : dict
        Code of arguments to add to the calls at some positions.
    statements : dict
        Lines of code for the statements that begin at some (line, column).
    wraps : dict
        Code of the ``with`` line for the statements that begin at some
        positions.
    wrapped_rests : dict
        The same for a statement and all that follow in its block.
    modules : dict
        Modules for the ``from`` imports that begin at some positions.
    definitions : dict
        New names for the functions whose definitions begin at some positions.
    imports : list of str
        Import statements to add.
    """

    def __init__(self):
        self.expressions = {}
        self.arguments = {}
        self.added = {}
        self.statements = {}
        self.wraps = {}
        self.wrapped_rests = {}
        self.modules = {}
        self.definitions = {}
        self.imports = []

    def __bool__(self):
        return any(vars(self).values())

    def replace(self, node, code):
        self.expressions[place(node)] = code

    def argument(self, node, code):
        """Replace a keyword or positional argument; None removes it."""
        self.arguments[place(node)] = code

    def add_argument(self, call, code):
        self.added[place(call)] = code

    def statement(self, node, lines):
        self.statements[node.lineno, node.col_offset] = lines

    def module(self, node, name):
        self.modules[node.lineno, node.col_offset] = name

    def definition(self, node, name):
        self.definitions[node.lineno, node.col_offset] = name

    def wrap(self, node, header):
        self.wraps[node.lineno, node.col_offset] = header

    def wrap_rest(self, node, header):
        self.wrapped_rests[node.lineno, node.col_offset] = header

    def add_import(self, code):
        if code not in self.imports:
            self.imports.append(code)
