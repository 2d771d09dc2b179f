"""List comprehensions in the scope around them."""
import ast

import pytest

from chainer_fast.legacy._python import comprehensions

PROGRAM = '''
class Game:
    WIDTH = 4
    ROWS = 2
    GRID = [[i / WIDTH, j] for i in range(3) for j in range(ROWS)]
    NAMES = dict(a=[WIDTH for k in range(2)])
    def area(self):
        return [self.WIDTH * n for n in (1, 2)]

def last(values):
    doubled = [2 * v for v in values if v]
    return v, doubled

def pairs(values):
    found = [a + b for a, (b, c) in values]
    return found, a, c

def over(x):
    return [x for x in x], x

def twice(rows):
    return [[x + 1 for x in row] for row in rows], x, row

def in_loop():
    seen = []
    k = 0
    for i in range(2):
        seen.append(k)
        [k for k in (i, i + 10)]
    return seen

def closure():
    functions = [lambda: n for n in range(3)]
    n
    return [f() for f in functions]

def today(values):
    kept = [v for v in values]
    for v in (7,):
        kept.append(v)
    return kept, [w for w in values]

squares = [m * m for m in range(4)]
after = m
'''
RESULTS = {
    'last([1, 2, 0])': (0, [2, 4]), 'pairs([(1, (2, 3)), (4, (5, 6))])': ([3, 9], 4, 6),
    'over([1, 2])': ([1, 2], 2), 'in_loop()': [0, 10], 'closure()': [2, 2, 2],
    'today([1])': ([1, 7], [1]),
}


@pytest.fixture
def program(enable, load):
    enable('python')
    return load(PROGRAM)


def test_classes(program, used):
    assert program.Game.GRID == [[0, 0], [0, 1]] * 3
    assert program.Game.NAMES == {'a': [4, 4]}
    assert program.Game().area() == [4, 8]
    assert program.after == 3 and program.squares == [0, 1, 4, 9]
    assert used()['list comprehension in the scope around it'] == 3


@pytest.mark.parametrize('call', RESULTS)
def test_variables(call, program):
    assert eval(call, vars(program)) == RESULTS[call]


def test_nested(program):
    """Those inside another one have its scope as they have today."""
    with pytest.raises(NameError):
        program.twice([[1], [2, 3]])


def test_what_needs_nothing_is_left_alone():
    text = '''
class A:
    n = 3
    rows = [k for k in range(n)]

def f(values):
    kept = [v for v in values]
    return {v: 1 for v in kept}, (v for v in kept)

for v in [v for v in 'ab']:
    print(v)
'''
    tree = ast.parse(text)
    comprehensions.of_python_2(tree)
    assert ast.unparse(tree) == ast.unparse(ast.parse(text))


def test_programs_of_python_3(enable, load):
    enable('python3')
    with pytest.raises(NameError):
        load('values = [v for v in (1, 2)]\nprint(v)\n')
