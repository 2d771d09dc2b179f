"""Short and less exact versions of the functions of librosa 0.7 used by WaveNet.

Later versions lack ``output`` and the positional arguments; librosa 0.7 itself needs a
Numba for Python up to 3.8.
"""
import types
import wave

import numpy


def load(path, sr=22050, res_type='kaiser_best'):
    """Return the samples of a file as float32 from -1 to 1, and their rate."""
    with wave.open(path) as file:
        rate = file.getframerate()
        raw = numpy.frombuffer(file.readframes(file.getnframes()), '<i2')
    y = raw / numpy.float32(32768)
    # Each sample is the mean over its duration, a sufficient filter for these sounds.
    step = rate // sr
    y = y[:len(y) // step * step].reshape(-1, step).mean(axis=1)
    return y.astype(numpy.float32), sr


def _frames(y, length, hop):
    y = numpy.pad(y, length // 2, mode='reflect')
    starts = numpy.arange(0, len(y) - length + 1, hop)
    return y[starts[:, None] + numpy.arange(length)]


def _trim(y, top_db=60, frame_length=2048, hop_length=512):
    """Cut off the parts at both ends that are ``top_db`` below the loudest frame."""
    power = numpy.mean(_frames(y, frame_length, hop_length) ** 2, axis=1)
    loud = numpy.flatnonzero(power > power.max() * 10 ** (-top_db / 10))
    start, end = loud[0] * hop_length, min(len(y), (loud[-1] + 1) * hop_length)
    return y[start:end], numpy.array([start, end])


def _mel_filters(sr, n_fft, n_mels):
    """Return triangular filters of equal width in pitch."""
    top = 2595 * numpy.log10(1 + sr / 2 / 700)
    edges = 700 * (10 ** (numpy.linspace(0, top, n_mels + 2) / 2595) - 1)
    frequencies = numpy.linspace(0, sr / 2, n_fft // 2 + 1)
    low, middle, high = (edges[i:i + n_mels, None] for i in range(3))
    return numpy.maximum(0, numpy.minimum(
        (frequencies - low) / (middle - low), (high - frequencies) / (high - middle)))


def _melspectrogram(y, sr=22050, n_fft=2048, hop_length=512, n_mels=128):
    """Return the power in each band of each frame, shape (n_mels, frames)."""
    window = numpy.hanning(n_fft + 1)[:-1]
    spectrum = numpy.fft.rfft(_frames(y, n_fft, hop_length) * window)
    return _mel_filters(sr, n_fft, n_mels) @ (numpy.abs(spectrum) ** 2).T


def power_to_db(S, ref=1., amin=1e-10, top_db=80.):
    """Convert a power to decibels relative to a reference."""
    reference = ref(S) if callable(ref) else ref
    db = 10 * numpy.log10(numpy.maximum(S, amin) / max(reference, amin))
    return numpy.maximum(db, db.max() - top_db)


def _write_wav(path, y, sr):
    with wave.open(path, 'wb') as file:
        file.setparams((1, 2, sr, 0, 'NONE', None))
        file.writeframes((y * 32767).astype('<i2').tobytes())


effects = types.SimpleNamespace(trim=_trim)
feature = types.SimpleNamespace(melspectrogram=_melspectrogram)
output = types.SimpleNamespace(write_wav=_write_wav)
