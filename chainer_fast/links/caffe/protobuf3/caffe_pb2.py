"""Classes of the messages in Caffe's files.

They are created at import from a description of the format, because other versions of
protobuf reject code that one version of protoc has generated. The descriptions are in a
separate pool, so they do not clash with those of Caffe in a program that uses both.
"""
from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.internal import enum_type_wrapper

from chainer_fast.links.caffe.protobuf3 import _caffe_format

if TYPE_CHECKING:
    def __getattr__(name: str) -> Any: ...

_PACKAGE = 'caffe'
_FIELD = re.compile(
    r'(?P<name>\w+)=(?P<number>\d+):(?P<type>\w+)(?P<label>[*+!]?)(=(?P<default>.+))?')


def _add_enum(parent, name, entries):
    enum = parent.enum_type.add(name=name)
    for entry in entries:
        value, _, number = entry.partition('=')
        enum.value.add(name=value, number=int(number))


def _add_field(message, entry, enums):
    found = _FIELD.fullmatch(entry)
    kind = found['type']
    field = message.field.add(name=found['name'], number=int(found['number']))
    field.label = {
        '': field.LABEL_OPTIONAL, '!': field.LABEL_REQUIRED,
    }.get(found['label'], field.LABEL_REPEATED)
    if found['label'] == '+':
        field.options.packed = True
    if found['default'] is not None:
        field.default_value = found['default']

    if kind.islower():
        field.type = field.Type.Value('TYPE_' + kind.upper())
        return
    # An enumeration is defined in the message that uses it, or at the top level.
    inner = message.name + '.' + kind
    is_enum = inner in enums or kind in enums
    field.type = field.TYPE_ENUM if is_enum else field.TYPE_MESSAGE
    field.type_name = '.%s.%s' % (_PACKAGE, inner if inner in enums else kind)


def _describe():
    file = descriptor_pb2.FileDescriptorProto(
        name='caffe.proto', package=_PACKAGE, syntax='proto2')
    enums = dict(_caffe_format.paragraphs(_caffe_format.ENUMS))
    messages = {}
    for name, entries in _caffe_format.paragraphs(_caffe_format.MESSAGES):
        messages[name] = file.message_type.add(name=name)
        for entry in entries:
            _add_field(messages[name], entry, enums)
    for name, entries in enums.items():
        owner, _, inner = name.rpartition('.')
        _add_enum(messages[owner] if owner else file, inner, entries)
    return file


def _build():
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(_describe().SerializeToString())
    file = pool.FindFileByName('caffe.proto')
    names = {'DESCRIPTOR': file}
    for name, descriptor in file.message_types_by_name.items():
        names[name] = message_factory.GetMessageClass(descriptor)
    for name, descriptor in file.enum_types_by_name.items():
        names[name] = enum_type_wrapper.EnumTypeWrapper(descriptor)
        names.update((value.name, value.number) for value in descriptor.values)
    return names


globals().update(_build())
