"""The text of PTX: modules, functions, variables, statements.

Only what compilers write is taken; all else is :class:`~.faults.Unknown`.
"""
import re
import struct

from tests.doubles.ptx import kinds
from tests.doubles.ptx.faults import Unknown

_VARIABLE = re.compile(r'''
    (?:\.(?:visible|extern|weak)\s+)*
    \.(?P<space>global|const|shared|local|param)\s+
    (?:\.align\s+(?P<align>\d+)\s+)?\.(?P<kind>\w+)\s+
    (?P<name>[\w$%]+)\s*(?P<array>\[(?P<count>\d*)\])?\s*(?:=\s*(?P<values>.*))?$''',
                       re.X | re.S)
_REGISTERS = re.compile(r'\.reg\s+\.(\w+)\s+(.*)$', re.S)
_LABEL = re.compile(r'\s*([\w$]+)\s*:(?!:)')
_GUARD = re.compile(r'@(!?)(%?[\w$]+)\s+')
_OPCODE = re.compile(r'[a-z][\w]*(?:(?:\.|::)\w+)*')
_HEAD = re.compile(r'\.(entry|func)\b')


class Variable:
    """A variable of a space of memory, or a parameter."""

    def __init__(self, text):
        found = _VARIABLE.match(text.strip())
        if not found:
            raise Unknown('declaration %r' % text)
        self.space, self.name, self.kind = found['space'], found['name'], found['kind']
        self.size = kinds.size_of(self.kind)
        self.align = int(found['align'] or self.size)
        self.dynamic = found['array'] is not None and not found['count']
        if found['count']:
            self.size *= int(found['count'])
        elif self.dynamic:
            self.size = 0
        self.data = _values(found['values'], self.kind) if found['values'] else b''
        if self.dynamic and self.data:
            self.size, self.dynamic = len(self.data), False
        if len(self.data) > self.size:
            raise Unknown('more values than elements: %r' % text)


def _values(text, kind):
    size = kinds.size_of(kind)
    out = b''
    for item in text.strip().strip('{}').split(','):
        value = number(item.strip())
        if value is None:
            raise Unknown('value %r' % item)
        out += value[1].to_bytes(size, 'little') if value[0] == 'f' else (
            value[1] & (1 << 8 * size) - 1).to_bytes(size, 'little')
    return out


def number(text):
    """Return ('f', bits, bytes) or ('i', value, 0) of a literal, and None otherwise."""
    if re.fullmatch(r'0[fF][0-9a-fA-F]{8}', text):
        return 'f', int(text[2:], 16), 4
    if re.fullmatch(r'0[dD][0-9a-fA-F]{16}', text):
        return 'f', int(text[2:], 16), 8
    if re.fullmatch(r'[-+]?(0[xX][0-9a-fA-F]+|0[bB][01]+|\d+)U?', text):
        return 'i', int(text.rstrip('U'), 0), 0
    if re.fullmatch(r'[-+]?\d+\.\d*(e[-+]?\d+)?', text):
        return 'f', struct.unpack('<Q', struct.pack('<d', float(text)))[0], 8
    return None


class Instruction:
    """A statement that does something: its guard, opcode and operands."""

    def __init__(self, text, function, scopes):
        self.text = ' '.join(text.split())
        rest, self.guard = self.text, None
        guard = _GUARD.match(rest)
        if guard:
            self.guard = bool(guard[1]), _resolve(guard[2], scopes)
            rest = rest[guard.end():]
        opcode = _OPCODE.match(rest)
        if not opcode:
            raise Unknown('statement %r' % self.text)
        self.name, *self.modifiers = opcode[0].split('.')
        self.operands = [_operand(each, scopes) for each in split(rest[opcode.end():])]


def _resolve(name, scopes):
    for scope in reversed(scopes):
        if name in scope:
            return scope[name]
    return name


def _operand(text, scopes):
    """Return an operand as a tuple, whose first element says what it is.

    ('list', operands), ('at', operand, offset), ('not', operand), ('i', value),
    ('pair', operand, operand), ('f', bits, bytes), ('name', name, offset), or ('_',),
    which takes what nobody needs.
    """
    if '|' in text:
        return 'pair', *[_operand(each.strip(), scopes) for each in text.split('|')]
    if text[0] in '{(':
        return 'list', [_operand(each, scopes) for each in split(text[1:-1])]
    if text[0] == '[':
        inner = text[1:-1].strip()
        found = re.fullmatch(r'([\w$%.]+)\s*(?:\+\s*(-?\w+))?', inner)
        if not found:
            raise Unknown('address %r' % text)
        return 'at', _operand(found[1], scopes), int(found[2] or '0', 0)
    if text[0] == '!':
        return 'not', _operand(text[1:], scopes)
    literal = number(text)
    if literal is not None:
        return ('i', literal[1]) if literal[0] == 'i' else literal
    if text == '_':
        return '_',
    found = re.fullmatch(r'([\w$%.]+)(?:\s*\+\s*(\d+))?', text)
    if not found:
        raise Unknown('operand %r' % text)
    return 'name', _resolve(found[1], scopes), int(found[2] or 0)


def split(text):
    """Return what stands between commas outside of brackets."""
    out, depth, begin = [], 0, 0
    for i, letter in enumerate(text):
        if letter in '{[(':
            depth += 1
        elif letter in '}])':
            depth -= 1
        elif letter == ',' and not depth:
            out.append(text[begin:i].strip())
            begin = i + 1
    out.append(text[begin:].strip())
    return [each for each in out if each]


class Function:
    """An entry or a function; its body is read when it is needed.

    Attributes
    ----------
    name : str
    parameters, results : list of Variable
    limits : dict
        Directives such as ``.maxntid``.
    instructions : list of Instruction
    labels : dict
        Positions in the instructions.
    tables : dict
        Labels that an indexed branch may go to.
    registers : dict
        Types by name.
    variables : list of Variable
        Shared and local memory, and parameters of calls.
    """

    def __init__(self, kind, head, body):
        self.kind = kind
        found = re.fullmatch(
            r'\s*(?:\(([^)]*)\)\s*)?([\w$]+)\s*(?:\(([^)]*)\))?\s*(.*)', head, re.S)
        if not found:
            raise Unknown('head of a function: %r' % head)
        self.name = found[2]
        self.results = [Variable(each) for each in split(found[1] or '')]
        self.parameters = [Variable(each) for each in split(found[3] or '')]
        self.limits = {}
        for name, values in re.findall(r'\.(\w+)\s*([\d,\s]*)', found[4]):
            if name not in ('maxntid', 'reqntid', 'minnctapersm', 'maxnreg',
                            'noreturn'):
                raise Unknown('directive .%s of %s' % (name, self.name))
            self.limits[name] = [int(each) for each in split(values)]
        self._body = body

    def read(self):
        """Read the body, once."""
        if self._body is None:
            return
        self.instructions, self.labels, self.tables = [], {}, {}
        self.registers, self.variables = {}, []
        scopes, count, pending, depth = [{}], 0, '', 0
        for piece in re.split(r'([;{}])', self._body):
            if piece == '{' and not depth and not self._without_labels(pending):
                pending, count = '', count + 1
                scopes.append({'': str(count)})
            elif piece == '}' and not depth:
                if self._without_labels(pending):
                    raise Unknown('statement without end: %r' % pending)
                pending = ''
                scopes.pop()
            elif piece == ';' and not depth:
                statement = self._without_labels(pending)
                if statement:
                    self._statement(statement, scopes)
                pending = ''
            else:
                depth += (piece == '{') - (piece == '}')
                pending += piece
        self._without_labels(pending)
        self._body = None

    def _without_labels(self, text):
        found = _LABEL.match(text)
        while found:
            self.labels[found[1]] = len(self.instructions)
            text = text[found.end():]
            found = _LABEL.match(text)
        return text.strip()

    def _declare(self, name, scopes):
        """Return a name that is the function's own, for one of a scope."""
        if len(scopes) == 1:
            return name
        scopes[-1][name] = '%s#%s' % (name, scopes[-1][''])
        return scopes[-1][name]

    def _statement(self, text, scopes):
        if text.startswith(('.loc ', '.pragma ')):
            return
        found = _REGISTERS.match(text)
        if found:
            kinds.dtype_of(found[1])
            for each in split(found[2]):
                name = re.fullmatch(r'(%?[\w$]+)(?:<(\d+)>)?', each)
                names = [name[1]] if not name[2] else [
                    '%s%d' % (name[1], i) for i in range(int(name[2]))]
                self.registers.update(
                    (self._declare(one, scopes), found[1]) for one in names)
        elif text.startswith('.branchtargets'):
            label = [name for name, place in self.labels.items()
                     if place == len(self.instructions)][-1]
            self.tables[label] = split(text[len('.branchtargets'):])
        elif text.startswith('.'):
            variable = Variable(text)
            variable.name = self._declare(variable.name, scopes)
            self.variables.append(variable)
        else:
            self.instructions.append(Instruction(text, self, scopes))


class Module:
    """All of a text.

    Attributes
    ----------
    target : str
        Such as ``'sm_75'``.
    functions : dict of Function
    declared : set of str
        Functions without a body.
    variables : dict of Variable
    """

    def __init__(self, text):
        text = re.sub(r'//[^\n]*|/\*.*?\*/', '', text, flags=re.S)
        self.functions, self.declared, self.variables = {}, set(), {}
        self.target = re.search(r'\.target\s+(\w+)', text)[1]
        text = re.sub(r'\.(version|target|address_size)\b[^\n]*', '', text)
        at = 0
        for head in _HEAD.finditer(text):
            if head.start() < at:
                continue
            self._outside(text[at:head.start()])
            end = re.compile('[;{]').search(text, head.end()).start()
            if text[end] == ';':
                self.declared.add(Function(head[1], text[head.end():end], None).name)
                at = end + 1
                continue
            at = _closing(text, end) + 1
            function = Function(head[1], text[head.end():end], text[end + 1:at - 1])
            self.functions[function.name] = function
        self._outside(text[at:])

    def _outside(self, text):
        for statement in text.split(';'):
            statement = re.sub(r'^(\s*\.(visible|weak|extern)\b)+\s*$', '', statement)
            if statement.strip():
                variable = Variable(statement)
                self.variables[variable.name] = variable


def _closing(text, begin):
    depth = 0
    for brace in re.compile('[{}]').finditer(text, begin):
        depth += 1 if brace[0] == '{' else -1
        if not depth:
            return brace.start()
    raise Unknown('a function without end')
