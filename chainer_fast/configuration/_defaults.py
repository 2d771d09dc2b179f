"""Initial values of the configuration, some of which are environment variables."""
import math
import os


def _flag(name, default):
    """Read an environment variable that is ``0`` or ``1``."""
    text = os.environ.get(name, default)
    try:
        return bool(int(text))
    except ValueError:
        raise ValueError('%s must be 0 or 1, not %r' % (name, text)) from None


def _seconds(name, default):
    """Read an environment variable that is a time in seconds."""
    text = os.environ.get(name, default)
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.
    if not 0 <= seconds < math.inf:
        raise ValueError(
            '%s must be seconds, 0 or more, not %r' % (name, text)) from None
    return seconds


def load(config):
    """Set the entries of a configuration; :mod:`chainer_fast.backends.dtypes` adds one.

    The settings of cuDNN and iDeep are checked when they are first needed: any value is
    accepted if these libraries are not installed.
    """
    values = {
        'debug': _flag('CHAINER_DEBUG', '0'),
        'cudnn_deterministic': False,
        'warn_nondeterministic': False,
        'enable_backprop': True,
        'keep_graph_on_report': _flag('CHAINER_KEEP_GRAPH_ON_REPORT', '0'),
        'train': True,
        'type_check': _flag('CHAINER_TYPE_CHECK', '1'),
        'use_cudnn': os.environ.get('CHAINER_USE_CUDNN', 'auto'),
        'use_cudnn_tensor_core': 'auto',
        'autotune': False,
        'schedule_func': None,
        'use_static_graph': True,
        'num_threads': None,
        'use_ideep': os.environ.get('CHAINER_USE_IDEEP', 'never'),
        'lazy_grad_sum': _flag('CHAINER_LAZY_GRAD_SUM', '0'),
        'cudnn_fast_batch_normalization': _flag(
            'CHAINER_CUDNN_FAST_BATCH_NORMALIZATION', '0'),
        'cudnn_channels_last': _flag('CHAINER_CUDNN_CHANNELS_LAST', '0'),
        'in_recomputing': False,
        '_will_recompute': False,
        'compute_mode': None,
        'mn_watchdog': _flag('CHAINERMN_WATCHDOG', '1'),
        'mn_exchange': os.environ.get('CHAINERMN_EXCHANGE', 'auto'),
        'mn_watchdog_timeout': _seconds('CHAINERMN_WATCHDOG_TIMEOUT', '6'),
    }
    for name, value in values.items():
        setattr(config, name, value)
