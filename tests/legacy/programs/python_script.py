# Chainer 1.24, Python 2.7
"""A script of Python 2 with settings, paths and text, around a small model."""
import ConfigParser  # removed: ConfigParser
import Queue  # removed: Queue
import __builtin__  # removed: __builtin__
import commands  # removed: commands
import itertools
import operator
import os
import string
import sys
import tempfile
import types
import urllib
from sets import Set  # removed: sets

import numpy as np

import chainer.functions as F
import chainer.links as L

reload(sys)  # removed: builtins.reload
sys.setdefaultencoding('utf-8')  # removed: sys.setdefaultencoding
folder = tempfile.mkdtemp()
path = os.path.join(folder, 'settings.py')
f = file(path, 'w')  # removed: builtins.file
f.write('units = 5\nrate = 0.5\n')
f.close()
execfile(path)  # removed: builtins.execfile
print('units %d rate %.1f' % (units, rate))
parser = ConfigParser.RawConfigParser()
parser.add_section('net')
parser.set('net', 'units', '7')
print('%d %s' % (parser.getint('net', 'units'), parser.has_option('net', 'none')))
queue = Queue.Queue()
queue.put(3)
print('%d %d' % (queue.get(), __builtin__.len('ab')))
print('%s %s' % (commands.getoutput('echo text'), sorted(Set([2, 1]))))
print('%s %s' % (urllib.quote('a b&c'), urllib.urlencode({'k': 1})))  # removed: urllib.quote; urllib.urlencode
print('%s %s' % (string.upper('ab'), string.zfill('7', 3)))  # removed: string.upper; string.zfill
print('abc'.translate(string.maketrans('a', 'b')))  # removed: string.maketrans
print('%d %.2f' % (string.atoi('12'), string.atof('1.5')))  # removed: string.atoi; string.atof
print('%s %s' % (string.lowercase[:3], string.uppercase[-1]))  # removed: string.lowercase; string.uppercase
print('%s %s' % (isinstance([], types.ListType), isinstance('a', types.StringType)))  # removed: types.ListType; types.StringType
print('%s %d' % (operator.isCallable(len), operator.div(7, 2)))  # removed: operator.isCallable; operator.div
print('%s' % (os.getcwdu() == os.getcwd()))  # removed: os.getcwdu
print('%s' % list(itertools.ifilter(None, [0, 1, 2])))  # removed: itertools.ifilter
print('%s' % list(itertools.izip_longest('ab', 'c')))  # removed: itertools.izip_longest
print('%s %d' % (unichr(97), apply(max, (1, 2))))  # removed: builtins.unichr; builtins.apply
sizes = {'a': 1, 'b': 2}
print('%d %d' % (sum(sizes.viewvalues()), len(list(sizes.iterkeys()))))  # removed: dict.viewvalues; dict.iterkeys
np.random.seed(8)
model = L.Linear(units, 2)
x = np.random.rand(3, units).astype('f')
y = F.softmax(model(x))
print('%.6f' % float(F.sum(y * y * rate).data))
