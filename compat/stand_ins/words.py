"""Sentences of a small grammar, for the examples that read text."""
import random

# Words by tags of the Brown corpus.
_WORDS = {
    'AT': ['the', 'a'],
    'JJ': ['small', 'old', 'green', 'quiet', 'heavy'],
    'NN': ['cat', 'river', 'house', 'student', 'ship', 'garden', 'letter', 'road'],
    'NP': ['Mary', 'John', 'Osaka'],
    'VBD': ['saw', 'found', 'left', 'crossed', 'painted'],
    'IN': ['near', 'behind', 'under'],
    '.': ['.'],
}
_PATTERNS = [pattern.split() for pattern in (
    'AT NN VBD AT NN .',
    'NP VBD AT JJ NN .',
    'AT JJ NN VBD NP IN AT NN .',
    'NP VBD AT NN IN AT JJ NN .',
)]


def tagged_sentences(count, seed=0):
    """Return sentences as lists of pairs: a word, and its part of speech.

    Parameters
    ----------
    count : int
        Number of sentences.
    seed : int
        Seed; equal seeds give equal sentences.
    """
    stream = random.Random(seed)
    return [[(stream.choice(_WORDS[tag]), tag) for tag in stream.choice(_PATTERNS)]
            for _ in range(count)]


def sentences(count, seed=0):
    """Return sentences as lists of words."""
    return [[word for word, _ in sentence]
            for sentence in tagged_sentences(count, seed)]


def lines(count, seed=0):
    """Return the text of a file with a sentence in each line."""
    return ''.join(' '.join(words) + '\n' for words in sentences(count, seed))
