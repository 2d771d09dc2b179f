"""Sentiment analysis, on trees of sentences with a label at each node."""
import random

from stand_ins import words
from stand_ins.run import Run


def _label(texts):
    """Label a phrase from 0 to 4; longer ones tend to be more positive."""
    return min(4, sum(map(len, texts)) // 8)


def _tree(texts, stream):
    if len(texts) == 1:
        return '(%d %s)' % (_label(texts), texts[0])
    cut = stream.randrange(1, len(texts))
    return '(%d %s %s)' % (
        _label(texts), _tree(texts[:cut], stream), _tree(texts[cut:], stream))


def _prepare(folder, cache):
    target = folder / 'trees'
    target.mkdir()
    for seed, (name, count) in enumerate([('train', 40), ('dev', 10), ('test', 10)]):
        stream = random.Random(seed)
        (target / (name + '.txt')).write_text(''.join(
            _tree(sentence, stream) + '\n'
            for sentence in words.sentences(count, seed=seed)))


def _without_gpu(folder, cache):
    """Select the tests for the processor, like upstream's continuous integration."""
    (folder / 'pytest.ini').write_text(
        '[pytest]\naddopts = -m "not gpu"\nmarkers = gpu\n')


_SMALL = ('--unit', '8', '--batchsize', '8', '--epoch', '2', '--epocheval', '1')

RUNS = [
    Run('sentiment/download.py', excused=(
        'downloads the Sentiment Treebank; stand-ins replace it in the other runs')),
    Run('sentiment/train_sentiment.py', _SMALL, _prepare,
        produces=('result/log', 'result/snapshot_epoch_2'),
        prints=r'Root accuracy: \d',
        then=(
            Run('sentiment/train_sentiment.py',
                (*_SMALL, '--resume', 'result/snapshot_epoch_2', '--epoch', '3',
                 '--out', 'resumed'),
                produces=('resumed/snapshot_epoch_3',), prints=r'Root accuracy: \d'),
            Run('sentiment/train_sentiment.py',
                (*_SMALL, '--test', '--out', 'tiny'),
                produces=('tiny/snapshot_epoch_2',), prints=r'Root accuracy: \d'),
        )),
    Run('sentiment/train_recursive_minibatch.py', _SMALL, _prepare,
        produces=('result/log',), prints='validation/main/accuracy'),
    Run('sentiment/test_thin_stack.py', (), _without_gpu, needs=('pytest',),
        prints='4 passed', note='without its tests of a GPU'),
]
