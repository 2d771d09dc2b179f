"""Examples of networks that read and write words."""
import re

import numpy as np
import pytest

from tests.examples import runs


def test_char_lstm(tmp_path):
    arguments = '--out', tmp_path, '--unit', '64', '--length', '50'
    text = runs.run('char_lstm/train_char_lstm.py', '--epoch', '1', '--bproplen', '16',
                    *arguments)
    # Frequencies of the characters alone give 4.5.
    assert runs.number(r'does not learn from (\S+)', text) < 3.2
    text = runs.run('char_lstm/train_char_lstm.py', '--epoch', '0', '--resume',
                    tmp_path / 'model.npz', '--start', 'Python ', *arguments)
    written = text.splitlines()[-1]
    assert written.startswith('Python ')
    assert 45 < len(written) <= 57


def test_char_lstm_reads_a_text_of_mine(tmp_path):
    (tmp_path / 'text').write_text('ab' * 4000, encoding='utf-8')
    text = runs.run(
        'char_lstm/train_char_lstm.py', '--text', tmp_path / 'text', '--out', tmp_path,
        '--unit', '16', '--epoch', '2', '--start', 'a', '--length', '9',
        '--bproplen', '8')
    assert text.splitlines()[-1] == 'ababababab'


def test_seq2seq(tmp_path):
    pytest.importorskip('matplotlib')
    arguments = '--out', tmp_path, '--unit', '48', '--examples', '2500', '-b', '32'
    text = runs.run('seq2seq/train_seq2seq.py', '--epoch', '2', *arguments)
    right = runs.number(r'Right in the test: (\S+)%', text)
    assert right > 10
    assert runs.is_png(tmp_path / 'attention.png')
    text = runs.run('seq2seq/train_seq2seq.py', '--epoch', '3', '--resume',
                    tmp_path / 'snapshot_epoch_2', '--read', 'two million', *arguments)
    assert runs.number(r'Right in the test: (\S+)%', text) > right + 10
    assert re.search(r'^two million is \d+$', text, re.MULTILINE)


def test_word2vec(tmp_path):
    text = runs.run('word2vec/train_word2vec.py', '--out', tmp_path, '--epoch', '3',
                    '--unit', '32', '--word', 'true', 'unheard')
    assert 'true: false ' in text
    assert 'unheard: occurs less than 15 times' in text
    with np.load(tmp_path / 'vectors.npz') as file:
        assert file['vectors'].shape == (len(file['words']), 32)
        assert file['words'][0] == 'the'
