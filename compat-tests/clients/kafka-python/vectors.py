"""
Messages as kafka-python writes them, as an oracle for our codec: a line of JSON each. Every message and version that
it speaks, with plain values and with others (null, empty, large, negative). It has two encoders of its own: one that
interprets schemas, and older classes with the layout of each version written by hand.

    PYTHONPATH=FOLDER python3 vectors.py > FILE      FOLDER holds kafka-python 3

    {"from": "schemas", "message": NAME, "version", "hex", "json": {…}}     the JSON has the form of Kafka's converters
    {"from": "classes", "key", "type", "version", "hex", "leaves": […]}     the values alone, in the order of the wire
"""
import base64
import importlib
import inspect
import json
import pkgutil
import uuid

import kafka.protocol
import kafka.protocol.old
from kafka.protocol.api_message import ApiMessage
from kafka.protocol.old import types as old_types
from kafka.protocol.old.struct import Struct

# Mistakes of kafka-python's own: version 2 of the first is flexible, the partitions of the last are an array.
MISTAKEN_CLASSES = {(29, 2, False), (29, 2, True), (35, 0, False)}

SAFE = 2**53 - 1
INTEGERS = {'int8': 8, 'int16': 16, 'int32': 32, 'int64': 64}
TEXTS = ['', 'naïve-Ω-主题', 'x' * 200]


class Values:
    """A row of values: plain ones that differ from each other, or others that are hard."""

    def __init__(self, plain):
        self.plain = plain
        self.count = 0

    def next(self):
        self.count += 1
        return self.count

    def integer(self, bits):
        number = self.next()
        if self.plain:
            return number % 100 + 1
        return [-1, 2 ** (bits - 1) - 1, -(2 ** (bits - 1)), 0, -77][number % 5]

    def text(self):
        number = self.next()
        return 'text-%d' % number if self.plain else TEXTS[number % 3]

    def bytes(self):
        number = self.next()
        return bytes([number % 256, 1]) if self.plain else [b'', b'\x00\xff' * 100][number % 2]

    def boolean(self):
        return self.next() % 2 == 1 or self.plain

    def uuid(self):
        return uuid.UUID(int=(self.next() << 70) + 5)

    def elements(self):
        return 2 if self.plain else self.next() % 3

    def is_null(self):
        return not self.plain and self.next() % 2 == 0


def integer_json(value):
    return value if abs(value) <= SAFE else str(value)


def primitive(kind, values):
    """(value for kafka-python, its JSON)"""
    if kind in INTEGERS:
        value = values.integer(INTEGERS[kind])
        return value, integer_json(value)
    if kind == 'uint16':
        value = abs(values.integer(16)) % 65536
        return value, value
    if kind == 'float64':
        value = values.integer(16) + 0.5
        return value, value
    if kind == 'bool':
        value = values.boolean()
        return value, value
    if kind == 'string':
        value = values.text()
        return value, value
    if kind in ('bytes', 'records'):
        value = values.bytes()
        return value, base64.b64encode(value).decode()
    if kind == 'uuid':
        value = values.uuid()
        return value, base64.urlsafe_b64encode(value.bytes).decode().rstrip('=')
    if kind == 'bitfield':
        return {1, 5}, 34
    raise ValueError('a type that this script does not know: %s' % kind)


def camel(name):
    return name[0].lower() + name[1:]


def struct_of(field, version, values):
    item, told = {}, {}
    for part in field._fields:
        if not part.for_version_q(version):
            continue
        value, form = value_of(part, version, values)
        if part.tagged_field_q(version) and value == part.default:
            continue
        item[part.name], told[camel(part._name)] = value, form
    return item, told


def value_of(field, version, values):
    if field.nullable_for_version_q(version) and values.is_null():
        return None, None
    kind = field._json['type']
    if not kind.startswith('[]'):
        return struct_of(field, version, values) if field.is_struct() else primitive(kind, values)
    count = values.elements()
    if field.is_struct_array():
        pairs = [struct_of(field, version, values) for _ in range(count)]
    else:
        pairs = [primitive(kind[2:], values) for _ in range(count)]
    return [value for value, _ in pairs], [form for _, form in pairs]


def messages():
    found = {}
    for module in pkgutil.walk_packages(kafka.protocol.__path__, 'kafka.protocol.'):
        for each in vars(importlib.import_module(module.name)).values():
            if inspect.isclass(each) and issubclass(each, ApiMessage) and each is not ApiMessage:
                found[each.name] = each
    for name, message in sorted(found.items()):
        for version in range(message.max_version + 1):
            for plain in (True, False):
                item, told = struct_of(message._struct, version, Values(plain))
                flexible = message.flexible_version_q(version)
                data = message._struct.encode(item, version=version, compact=flexible, tagged=flexible)
                yield {'from': 'schemas', 'message': name, 'version': version, 'hex': data.hex(), 'json': told}


def old_value(kind, values, leaves):
    def leaf(value, told=None):
        leaves.append(value if told is None else told)
        return value

    if isinstance(kind, old_types.Schema):
        return tuple(old_value(field, values, leaves) for field in kind.fields)
    if isinstance(kind, old_types.Array):
        return [old_value(kind.array_of, values, leaves) for _ in range(values.elements())]
    name = kind.__name__ if inspect.isclass(kind) else type(kind).__name__
    if name == 'TaggedFields':
        return {}
    if name in ('Int8', 'Int16', 'Int32', 'Int64'):
        value = values.integer(int(name[3:]))
        return leaf(value, integer_json(value))
    if name == 'BitField':
        leaves.append(34)
        return {1, 5}
    simple = {'Boolean': 'bool', 'String': 'string', 'CompactString': 'string', 'Bytes': 'bytes', 'CompactBytes': 'bytes',
              'UUID': 'uuid', 'Float64': 'float64'}
    value, told = primitive(simple[name], values)
    return leaf(value, told)


def classes():
    found = {}
    for module in pkgutil.walk_packages(kafka.protocol.old.__path__, 'kafka.protocol.old.'):
        for each in vars(importlib.import_module(module.name)).values():
            if inspect.isclass(each) and issubclass(each, Struct) and isinstance(getattr(each, 'API_KEY', None), int):
                found[(each.API_KEY, each.API_VERSION, not each.is_request())] = each
    for (key, version, is_response), each in sorted(found.items()):
        if (key, version, is_response) in MISTAKEN_CLASSES:
            continue
        for plain in (True, False):
            leaves = []
            item = old_value(each.SCHEMA, Values(plain), leaves)
            kind = 'response' if is_response else 'request'
            data = each.SCHEMA.encode(item)
            yield {'from': 'classes', 'key': key, 'type': kind, 'version': version, 'hex': data.hex(), 'leaves': leaves}


for source in (messages, classes):
    for line in source():
        print(json.dumps(line, ensure_ascii=False, separators=(',', ':')))
