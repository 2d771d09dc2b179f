"""What tests have to know of a build that was forced to go the general way.

``make test-general`` leaves the switch set for its tests. Such a build has neither the
loops of NumPy's functions, so that last bits of exponentials of doubles may differ from
NumPy's, nor the state of its random generator.
"""
import os

GENERAL = os.environ.get('CHAINER_FAST_GENERAL', '') not in ('', '0')
