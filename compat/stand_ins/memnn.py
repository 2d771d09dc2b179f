"""Memory networks: stories with questions, in the format of the bAbI tasks."""
import random

from stand_ins.run import Run

_PEOPLE = ('Anna', 'Peter', 'Sandra')
_PLACES = ('kitchen', 'garden', 'office', 'hall')


def _story(stream):
    """Return the numbered lines of a story with questions about places."""
    lines, seen = [], {}
    for _ in range(3):
        for _ in range(2):
            person = stream.choice(_PEOPLE)
            place = stream.choice(_PLACES)
            lines.append('%s moved to the %s.' % (person, place))
            seen[person] = place, len(lines)
        person = stream.choice(sorted(seen))
        # The answer, and the number of the line with the answer.
        lines.append('Where is %s? \t%s\t%d' % (person, *seen[person]))
    return ['%d %s\n' % (number, line) for number, line in enumerate(lines, 1)]


def _prepare(folder, cache):
    for seed, (name, count) in enumerate([('train', 40), ('test', 10)]):
        stream = random.Random(seed)
        (folder / (name + '.txt')).write_text(''.join(
            line for _ in range(count) for line in _story(stream)))


def _train(*options, model, then):
    return Run(
        'memnn/train_memnn.py',
        ('train.txt', 'test.txt', '--model', model, '--epoch', '3', '--batchsize', '20',
         '--unit', '8', *options),
        _prepare, produces=(model + '/model.npz', model + '/parameter.json'),
        prints='validation/main/accuracy', then=then)


def _test(model):
    return Run('memnn/test_memnn.py', (model, 'test.txt'), prints=r'Accuracy: \d')


RUNS = [
    Run('memnn/download.py',
        excused='downloads the bAbI tasks; stand-ins replace them in the other runs'),
    _train(model='words', then=(_test('words'),)),
    # The memory is shorter than the stories.
    _train('--sentence-repr', 'pe', '--hop', '2', '--max-memory', '4', model='places',
           then=(_test('places'),)),
]
