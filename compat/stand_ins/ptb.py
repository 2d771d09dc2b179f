"""Language models and word vectors, which read the Penn Treebank."""
import numpy

from stand_ins import words
from stand_ins.run import Run


def prepare(folder, cache):
    """Write the words to Chainer's cache of downloads."""
    target = cache / 'pfnet' / 'chainer' / 'ptb'
    target.mkdir(parents=True, exist_ok=True)
    parts = {
        name: [word for sentence in words.sentences(count, seed=seed)
               for word in [*sentence, '<eos>']]
        for seed, (name, count) in enumerate(
            [('train', 100), ('valid', 30), ('test', 30)])}
    # In the order of the training text, which must contain all words.
    vocabulary = list(dict.fromkeys(parts['train']))
    (target / 'vocab.txt').write_text(''.join(word + '\n' for word in vocabulary))
    for name, text in parts.items():
        numpy.savez_compressed(
            target / (name + '.npz'),
            x=numpy.array([vocabulary.index(word) for word in text], numpy.int32))


_SMALL = ('--unit', '16', '--batchsize', '5', '--bproplen', '10')

_LANGUAGE_MODELS = [
    Run('ptb/train_ptb.py', (*_SMALL, '--test', '--epoch', '10'), prepare,
        produces=('model.npz', 'result/log', 'result/model_iter_20'),
        prints=r'test perplexity: \d',
        then=(
            Run('ptb/train_ptb.py',
                (*_SMALL, '--test', '--epoch', '12',
                 '--resume', 'result/snapshot_iter_20'),
                produces=('result/snapshot_iter_24',),
                prints=r'test perplexity: \d'),
            Run('ptb/gentxt.py',
                ('--model', 'model.npz', '--primetext', 'the', '--unit', '16'),
                prints='the '),
            Run('ptb/gentxt.py',
                ('--model', 'model.npz', '--primetext', 'the', '--unit', '16',
                 '--sample', '-1'),
                prints='the '),
        )),
    Run('ptb/train_ptb_custom_loop.py', (*_SMALL, '--epoch', '2'), prepare,
        produces=('result/rnnlm.model', 'result/rnnlm.state'),
        prints=r'test perplexity: \d',
        then=(
            Run('ptb/train_ptb_custom_loop.py',
                (*_SMALL, '--test', '--epoch', '1', '--resume', 'result'),
                prints=r'test perplexity: \d'),
        )),
]


def _word_vectors(model, loss, *more, then=()):
    return Run(
        'word2vec/train_word2vec.py',
        ('--model', model, '--out-type', loss, '--unit', '8', '--batchsize', '100',
         '--epoch', '2', *more),
        prepare, produces=('result/word2vec.model', 'result/snapshot_epoch_2'),
        prints='main/loss', then=then)


_SEARCH = Run(
    'word2vec/search.py', typed='river\nnothing\n', prints=r'query: river\n.*: -?0\.\d')

RUNS = _LANGUAGE_MODELS + [
    _word_vectors('skipgram', 'hsm', then=(_SEARCH,)),
    _word_vectors('skipgram', 'ns', '--negative-size', '3'),
    _word_vectors('skipgram', 'original', '--test'),
    _word_vectors('cbow', 'hsm'),
    _word_vectors('cbow', 'ns', then=(_SEARCH,)),
    _word_vectors('cbow', 'original', then=(
        _word_vectors('cbow', 'original',
                      '--epoch', '3', '--resume', 'result/snapshot_epoch_2'),)),
]
