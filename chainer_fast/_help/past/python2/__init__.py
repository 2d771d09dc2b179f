"""Sources in the syntax of Python 2, which fissix reads."""
from chainer_fast._help.past.python2.fixers import is_there
from chainer_fast._help.past.python2.syntax import readable
