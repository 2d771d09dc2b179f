"""Translation, from pairs of files with a sentence in each line."""
from stand_ins import words
from stand_ins.run import Run

_NEEDS = ('nltk', 'progressbar')


def _translated(sentence):
    """Translate a sentence to a language with the reverse order of words."""
    return [word if word == '.' else word + 'o' for word in reversed(sentence)]


def put_translations(folder, name, count, seed):
    """Write ``NAME.en`` and ``NAME.fr`` with so many sentences."""
    sentences = words.sentences(count, seed=seed)
    for language, texts in (('en', sentences), ('fr', map(_translated, sentences))):
        # Numbers, capitals and marks without spaces are for the preprocessing.
        (folder / (name + '.' + language)).write_text(''.join(
            'No %d: %s\n' % (i, ' '.join(text)) for i, text in enumerate(texts)))


def _prepare(folder, cache):
    put_translations(folder, 'train', 60, 0)
    put_translations(folder, 'news', 10, 1)


def _preprocess(name, *options, **more):
    return Run('seq2seq/wmt_preprocess.py', (name, 'clean.' + name, *options),
               needs=_NEEDS, produces=('clean.' + name,),
               prints=r'number of tokens: \d\d', **more)


def _train(*options, **more):
    return Run(
        'seq2seq/seq2seq.py',
        ('clean.train.en', 'clean.train.fr', 'vocab.en', 'vocab.fr', '--unit', '12',
         '--layer', '2', '--batchsize', '10', '--epoch', '3', '--log-interval', '6',
         '--validation-interval', '6', *options),
        needs=_NEEDS, prints='main/perp', **more)


RUNS = [
    _preprocess('train.en', '--vocab-file', 'vocab.en', '--vocab-size', '20', '--lower',
                prepare=_prepare, then=(
        _preprocess('train.fr', '--vocab-file', 'vocab.fr', '--lower'),
        _preprocess('news.en', '--lower'),
        _preprocess('news.fr', '--lower'),
        _train('--validation-source', 'clean.news.en',
               '--validation-target', 'clean.news.fr', '--save', 'trained.npz',
               produces=('result/log', 'result/snapshot_epoch_18', 'trained.npz')),
        _train('--resume', 'trained.npz', '--epoch', '4', '--out', 'resumed',
               produces=('resumed/snapshot_epoch_24',)),
        _train('--use-dataset-api', '--max-source-sentence', '10', '--out', 'lazy',
               produces=('lazy/log',)),
    )),
]
