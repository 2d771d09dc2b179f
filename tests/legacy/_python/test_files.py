"""Files of text that programs of Python 2 used for bytes, and the other way around."""
import gc
import hashlib
import io
import pickle
import sys
import zlib

import numpy as np
import pytest

from chainer_fast import legacy
from chainer_fast.legacy._python import old_modules

HEAD = '''
import csv, gzip, json, marshal, pickle, struct
import cPickle
import numpy as np
'''
# What a program does and finds, in modules of Python 3 as well.
PROGRAMS = {
    'dump': "cPickle.dump([1], open('f', 'w')); found = cPickle.load(open('f'))",
    'dump of pickle': "pickle.dump([1], open('f', 'w'))\n"
                      "found = pickle.load(open('f'))",
    'protocol 2': "cPickle.dump([1], open('f', 'w'), 2)\n"
                  "found = cPickle.load(open('f'))",
    'classes': "pickle.Pickler(open('f', 'w'), 2).dump([1])\n"
               "found = pickle.Unpickler(open('f')).load()",
    'classes of cPickle': "cPickle.Pickler(open('f', 'w')).dump([1])\n"
                          "found = cPickle.Unpickler(open('f')).load()",
    'two of them': "f = open('f', 'w'); cPickle.dump(0, f); cPickle.dump([1], f)\n"
                   "f.close(); f = open('f'); cPickle.load(f); found = cPickle.load(f)",
    'behind a line': "f = open('f', 'w'); f.write('a\\n'); cPickle.dump([1], f, 0)\n"
                     "f.write('b'); f.close(); f = open('f')\n"
                     "assert f.readline() == 'a\\n'\n"
                     "found = cPickle.load(f); assert f.read() == 'b'",
    'text': "found = cPickle.loads(cPickle.dumps([1], 0).decode('latin1'))",
    'marshal': "marshal.dump([1], open('f', 'w')); found = marshal.load(open('f'))",
    'numpy': "np.save(open('f', 'w'), [1]); found = np.load(open('f')).tolist()",
    'archive': "np.savez(open('f', 'w'), a=[1])\n"
               "found = np.load(open('f'))['a'].tolist()",
    'json': "json.dump([1], open('f', 'wb')); found = json.load(open('f', 'rb'))",
    'csv': "csv.writer(open('f', 'wb')).writerow([1])\n"
           "found = [int(x) for x in next(csv.reader(open('f', 'rb')))]",
    'csv of names': "csv.writer(open('f', 'wb')).writerows(['a', '1'])\n"
                    "found = [int(next(csv.DictReader(open('f', 'rb')))['a'])]",
    'gzip': "f = gzip.open('f', 'w'); f.write('1'); f.close()\n"
            "found = [int(gzip.open('f').read())]",
    'mode U': "open('f', 'w').write('1\\r\\n2')\n"
              "found = [len(open('f', 'rU').readlines()) - 1]\n"
              "assert open('f', mode='U').readline() == '1\\n'",
    'mode U of io': "import io, codecs; open('f', 'w').write('1')\n"
                    "found = [int(io.open('f', 'rU').read())]\n"
                    "assert codecs.open('f', 'rU', 'utf-8').read() == '1'",
    'text in bytes': "open('f', 'wb').write('1'); found = [int(open('f').read())]",
    'bytes in text': "f = open('f', 'w'); f.write('a'); f.write(b'b')\n"
                     "f.writelines([b'c', 'd']); f.close()\n"
                     "assert open('f').read() == 'abcd'; found = [1]",
    'pack': "found = [int(struct.unpack('2s', struct.pack('2s', '01'))[0])]",
}
#: What cannot be told in modules that may be of Python 3.
OF_PYTHON_2 = {
    'bytes of text': "open('f', 'wb').write(struct.pack('<iB', 7, 200))\n"
                     "found = [struct.unpack('<B', open('f').read()[4])[0] - 199]",
    'protocol 2 behind a line':
        "f = open('f', 'w'); f.write('a\\n'); cPickle.dump([1], f, 2); f.close()\n"
        "f = open('f'); assert f.readline() == 'a\\n'; found = cPickle.load(f)",
    'None is least': "found = [1] if None < 0 and not None >= -1 and 0 > None else 0",
}


def found(load, program):
    """Return what a program finds, and close the files that it left open."""
    names = vars(load(HEAD + program + '\n'))
    value = names['found']
    names.clear()
    gc.collect()
    return value


@pytest.mark.parametrize('part', ['python', 'python3'])
@pytest.mark.parametrize('name', PROGRAMS)
@pytest.mark.filterwarnings('ignore::ResourceWarning')
def test_programs(enable, load, tmp_path, monkeypatch, part, name):
    monkeypatch.chdir(tmp_path)
    enable(part)
    assert found(load, PROGRAMS[name]) == [1]


@pytest.mark.parametrize('name', OF_PYTHON_2)
@pytest.mark.filterwarnings('ignore::ResourceWarning')
def test_programs_of_python_2(enable, load, tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    enable('python')
    assert found(load, OF_PYTHON_2[name]) == [1]


def test_files_look_the_same(enable, load, tmp_path):
    enable('python')
    module = load('def get(*args, **kwargs): return open(*args, **kwargs)\n')
    path = tmp_path / 'f'
    for mode, cls in (('w', io.TextIOWrapper), ('wb', io.BufferedWriter),
                      ('r', io.TextIOWrapper), ('rb', io.BufferedReader),
                      ('w+', io.TextIOWrapper), ('ab', io.BufferedWriter)):
        with module.get(path, mode) as file, open(path, mode) as today:
            assert isinstance(file, cls)
            assert (file.mode, file.name) == (today.mode, today.name)
            if 'b' not in mode:
                assert (file.encoding, file.errors, file.newlines) == (
                    today.encoding, today.errors, today.newlines)
    with module.get(path, 'w', encoding='utf-16', newline='\r\n') as file:
        file.write('\xe9\n')
    assert path.read_bytes().decode('utf-16') == '\xe9\r\n'
    with module.get(path, 'wb', 0) as file:
        assert type(file) is io.FileIO
    with pytest.raises(ValueError):
        module.get(path, 'q')
    with pytest.raises(FileNotFoundError):
        module.get(tmp_path / 'missing')


def test_other_functions_called_open(enable, load):
    enable('python')
    module = load('def open(name, what): return what\n'
                  "found = open('f', 'Unknown')\n")
    assert module.found == 'Unknown'


def test_nothing_is_left(enable):
    before = pickle.load, pickle.Pickler, np.load
    enable('python')
    legacy.disable()
    assert (pickle.load, pickle.Pickler, np.load) == before


# ---- modules

def test_modules_that_are_found(tmp_path):
    imp = old_modules.imp()
    (tmp_path / 'a_module.py').write_text('x = 1\n')
    (tmp_path / 'a_package').mkdir()
    (tmp_path / 'a_package' / '__init__.py').write_text('')
    (tmp_path / 'a_package' / 'inner.py').write_text('from . import __name__ as x\n')
    try:
        file, path, details = imp.find_module('a_module', [str(tmp_path)])
        with file:
            assert details == ('.py', 'r', imp.PY_SOURCE)
            assert imp.load_module('a_module', file, path, details).x == 1
        package = imp.load_module('a_package', *imp.find_module(
            'a_package', [str(tmp_path)]))
        file, path, details = imp.find_module('inner', package.__path__)
        with file:
            assert imp.load_module('a_package.inner', file, path,
                                   details).x == 'a_package'
        assert imp.load_source('again', str(tmp_path / 'a_module.py')).x == 1
    finally:
        for name in 'a_module', 'a_package', 'a_package.inner', 'again':
            sys.modules.pop(name, None)
    assert imp.find_module('sys')[2] == ('', '', imp.C_BUILTIN)
    assert imp.load_module('sys', *imp.find_module('sys')) is sys
    with pytest.raises(ImportError, match='no_such_module'):
        imp.find_module('no_such_module')


@pytest.mark.skipif(sys.version_info >= (3, 12), reason='Python has none to compare')
@pytest.mark.filterwarnings('ignore::DeprecationWarning')
def test_modules_are_as_they_were():
    import cgi
    import imghdr
    import uu
    for line in 'text/html', 'a; b=c; D="e;f"', 'form-data; name="x \\" y"':
        assert old_modules.cgi().parse_header(line) == cgi.parse_header(line)
    for start in b'\x89PNG\r\n\x1a\n', b'GIF89a', b'P6 2', b'BM', b'nothing', b'':
        assert old_modules.imghdr().what(None, start.ljust(32)) == imghdr.what(
            None, start.ljust(32))
    for data in b'', b'some', bytes(range(256)):
        ours, theirs = io.BytesIO(), io.BytesIO()
        old_modules.uu().encode(io.BytesIO(data), ours, 'name', 0o644)
        uu.encode(io.BytesIO(data), theirs, 'name', 0o644)
        assert ours.getvalue() == theirs.getvalue()
        decoded = io.BytesIO()
        old_modules.uu().decode(io.BytesIO(ours.getvalue()), decoded)
        assert decoded.getvalue() == data
    assert old_modules.cgi().escape('<"\'>') == '&lt;"\'&gt;'


def test_text_in_the_place_of_bytes(load, used, tmp_path):
    legacy.enable('python')
    module = load(r"""
import base64, binascii, hashlib, io, pickle, zlib
from hashlib import sha1
from io import BytesIO
import numpy

# The image of a pickle of Python 2, whose text is bytes.
image = pickle.loads(b"S'\\xff\\xd8a'\np0\n.")
with io.BytesIO(image) as file:
    read = file.read()
again = BytesIO(image).getvalue()
packed = zlib.compress('aaaa')
digest = hashlib.md5('text').hexdigest(), sha1('text').hexdigest()
hashed = hashlib.md5()
hashed.update('te')
hashed.update('xt')
encoded = base64.b64encode('a?'), base64.b64encode('>>>', '-_'), binascii.hexlify(image)
checksum = zlib.crc32('text')
elements = numpy.frombuffer(image, 'u1')
of_bytes = base64.b64encode(b'a?')

class Own(dict):
    def update(self, text):
        self['text'] = text

own = Own()
own.update('text')
""")
    assert module.read == module.again == b'\xff\xd8a'
    assert zlib.decompress(module.packed) == b'aaaa'
    assert module.digest == (hashlib.md5(b'text').hexdigest(),
                             hashlib.sha1(b'text').hexdigest())
    assert module.hashed.hexdigest() == module.digest[0]
    assert module.encoded == ('YT8=', 'Pj4-', 'ffd861')
    assert module.checksum == zlib.crc32(b'text')
    assert module.elements.tolist() == [255, 216, 97]
    assert module.of_bytes == b'YT8='
    assert module.own == {'text': 'text'}
    assert used()['text in the place of bytes'] == 12


def test_a_way_for_text_of_its_own(load, used):
    legacy.enable()
    module = load("""
from io import BytesIO

try:
    found = BytesIO('text')
except TypeError:
    found = BytesIO('text'.encode())
""")
    assert module.found.getvalue() == b'text'
    assert 'text in the place of bytes' not in used()


def test_what_refuses_text_for_another_reason(load):
    legacy.enable('python')
    module = load("""
from io import BytesIO

def update(text):
    raise TypeError('of the program')

def call():
    return update('text')

def none():
    return BytesIO(3.5)
""")
    with pytest.raises(TypeError, match='of the program'):
        module.call()
    with pytest.raises(TypeError, match='bytes-like'):
        module.none()
