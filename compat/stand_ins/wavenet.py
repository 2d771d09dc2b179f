"""WaveNet, on short sounds in the folders of the VCTK corpus."""
import wave

import numpy

from stand_ins.run import Run

_RATE = 48000


def _write_sound(path, seconds, pitch):
    """Write a tone with overtones between two moments of silence."""
    t = numpy.arange(int(seconds * _RATE)) / _RATE
    tone = sum(numpy.sin(2 * numpy.pi * pitch * k * t) / k for k in (1, 2, 3))
    silence = numpy.zeros(_RATE // 20)
    sound = numpy.concatenate([silence, tone / 2, silence])
    with wave.open(str(path), 'wb') as file:
        file.setparams((1, 2, _RATE, 0, 'NONE', None))
        file.writeframes((sound * 32767).astype('<i2').tobytes())


def _prepare(folder, cache):
    for speaker in range(2):
        target = folder / 'VCTK-Corpus' / 'wav48' / ('p%d' % (225 + speaker))
        target.mkdir(parents=True)
        for i in range(5):
            # Some are shorter than the script's training length.
            _write_sound(target / ('%d.wav' % i), .02 + .05 * i, 200 + 50 * speaker)
    _write_sound(folder / 'sound.wav', .05, 220)


_SMALL = ('--n_loop', '1', '--n_layer', '3', '--a_channels', '16', '--r_channels', '4',
          '--s_channels', '8')
_OLD_LIBROSA = {
    'paths': ('librosa_0_7',),
    'note': 'a stand-in for librosa 0.7, which does not run on Python 3.10 or later'}


def _train(*options, **more):
    return Run(
        'wavenet/train.py',
        (*_SMALL, '--batchsize', '3', '--length', '1024', '--epoch', '2',
         '--display_interval', '3', '--snapshot_interval', '3', *options),
        needs=('matplotlib',), prints='validation/main/loss', **_OLD_LIBROSA, **more)


RUNS = [
    _train(prepare=_prepare, then=(
        Run('wavenet/generate.py',
            (*_SMALL, '--input', 'sound.wav', '--model', 'result/snapshot_iter_6'),
            needs=('tqdm',), produces=('result.wav',), **_OLD_LIBROSA),
        _train('--resume', 'result/snapshot_iter_3', '--process', '2',
               '--out', 'resumed', produces=('resumed/snapshot_iter_6',)),
    ), produces=('result/snapshot_iter_6', 'result/loss.png', 'result/accuracy.png')),
]
