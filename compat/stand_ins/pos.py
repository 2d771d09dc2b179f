"""Part-of-speech tagging: a corpus in the format of the Brown corpus."""
from stand_ins import words
from stand_ins.run import Run

# NLTK takes the categories of its files from a list, and requires names like these.
_FILES = {'ca01': 'news', 'cb01': 'editorial'}


def _prepare(folder, cache):
    corpus = cache / 'nltk_data' / 'corpora' / 'brown'
    corpus.mkdir(parents=True)
    for seed, name in enumerate(_FILES):
        (corpus / name).write_text('\n\n'.join(
            '\t' + ' '.join('%s/%s' % (word, tag.lower()) for word, tag in sentence)
            for sentence in words.tagged_sentences(60, seed=seed)) + '\n')
    (corpus / 'cats.txt').write_text(
        ''.join('%s %s\n' % item for item in _FILES.items()))


RUNS = [
    # The script reports every 100 iterations and evaluates every 1000.
    Run('pos/postagging.py', ('--batchsize', '30', '--epoch', '260'), _prepare,
        needs=('nltk',), produces=('result/log',),
        prints=r'# of sentences: 120(.|\n)*main/accuracy'),
]
