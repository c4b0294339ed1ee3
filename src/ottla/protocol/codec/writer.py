"""Generates the writer of a (message, version): straight-line source, compiled once, on first use.

    write(m) -> list of chunks

All chunks but records are joined; records stand in the list as they were given (bytes, a memoryview, or anything with
a length that the network knows how to send), so that their bytes are never copied. A default-valued tagged field is
omitted, as Kafka omits it. A value that the version cannot carry is an `UnsupportedVersion`, unless the field is
ignorable; a value that does not fit its type is an assertion of ours, named all the same.
"""

import struct
from collections.abc import Callable
from typing import Any

from ottla.errors import UnsupportedVersion
from ottla.protocol.codec import wire
from ottla.protocol.codec.reader import default_expression
from ottla.protocol.codec.schema import FIXED, Field, MessageSchema, StructSchema
from ottla.protocol.codec.source import Source

_STRUCT_ERROR = struct.error

# null, as source: in the compact form, and as a length of -1
_NULL_COMPACT = r"b'\0'"
_NULL_INT16 = r"b'\xff\xff'"
_NULL_INT32 = r"b'\xff\xff\xff\xff'"
_EMPTY_COMPACT = r"b'\x01'"
_EMPTY_INT32 = r"b'\0\0\0\0'"


class UnwritableValue(AssertionError):  # noqa: N818 - an assertion, not one of the errors that are answered
    """A value that its field's type cannot hold: our own fault, or that of the program that built the message."""


def compile_writer(schema: MessageSchema, cls: type, version: int) -> Callable[..., Any]:
    """The writer of one version of a message."""
    return _Generator(schema, cls, version).compile()


class _Generator:
    def __init__(self, schema: MessageSchema, cls: type, version: int) -> None:
        self.schema, self.cls, self.version = schema, cls, version
        self.flexible = version in schema.flexible
        self.source = Source(
            {
                "failures": (_STRUCT_ERROR, TypeError, AttributeError, UnicodeEncodeError, OverflowError, wire.Fault),
                "explain": self.explain,
                "Fault": wire.Fault,
                "ZERO_UUID": wire.ZERO_UUID,
                "LENGTHS": wire.LENGTHS,
                "STRING_LENGTHS": wire.STRING_LENGTHS,
                "write_tags": wire.write_tags,
                "unsupported": self.unsupported,
                "pack_array": struct.pack,
                "join": b"".join,
            }
        )
        self.out = "out"  # the list that pieces go to; a tagged field has one of its own
        self.pieces: list[str] = []  # pending expressions of bytes
        self.about: list[str] = []  # the fields that they write
        self.run: list[tuple[str, str]] = []  # pending fixed-width values: (expression, format)

    def compile(self) -> Callable[..., Any]:
        source = self.source
        with source.block("def write(m):"):
            source("chunks = []")
            source("out = []")
            with source.block("try:"):
                self.struct(self.schema, "m")
                self.flush()
            with source.block("except failures as failure:"):
                source("raise explain(failure) from failure")
            source("if out: chunks.append(join(out))")
            source("return chunks")
        return source.compile("write", f"writer of {self.schema.name} v{self.version}")

    def explain(self, failure: Exception) -> UnwritableValue:
        assert failure.__traceback__ is not None
        field = self.source.fields[failure.__traceback__.tb_lineno - 1]
        return UnwritableValue(f"{self.schema.name} v{self.version}: {field}: {failure}")

    def unsupported(self, field: str) -> UnsupportedVersion:
        return UnsupportedVersion(f"{self.schema.name} v{self.version} has no field {field}, which is set")

    # Structs and their tags

    def struct(self, schema: StructSchema, target: str) -> None:
        """Write a struct."""
        for field in schema.absent(self.version):
            with self.source.field(field.name):
                self.refuse(field, f"{target}.{field.name}")
        for field in schema.present(self.version):
            with self.source.field(field.name):
                self.value(field, f"{target}.{field.name}")
        if self.flexible:
            with self.source.field("tags"):
                self.tags(schema, target)
        else:
            with self.source.field("tags"):
                self.source(f'if {target}.unknown_tags: raise unsupported("unknown_tags")')

    def refuse(self, field: Field, value: str) -> None:
        """A field that this version lacks must not say anything that matters."""
        if not field.ignorable:
            path = ".".join(self.source.path)
            self.source(f'if {self.differs(field, value)}: raise unsupported("{path}")')

    def differs(self, field: Field, value: str) -> str:
        """The condition under which a field has another value than its default."""
        default = default_expression(field, self.source, self.cls)
        if default == "None":
            return f"{value} is not None"
        if field.is_array or default in ("b''", "''"):
            return f"{value} or {value} is None" if list(field.nullable) else value
        if field.struct is not None:
            return f"{value} is not {default} and {value} != {default}"
        if default in ("0", "0.0", "False"):
            return value
        return f"{value} != {default}"

    def tags(self, schema: StructSchema, target: str) -> None:
        source = self.source
        tagged = schema.tagged(self.version)
        if not tagged:
            self.piece(f"b'\\0' if not {target}.unknown_tags else write_tags([], {target}.unknown_tags)")
            return
        self.flush()
        told = [self.differs(field, f"{target}.{field.name}") for field in tagged]
        conditions = " or ".join(f"({condition})" for condition in [*told, f"{target}.unknown_tags"])
        with source.block(f"if {conditions}:"):
            known, outer = source.name("known"), self.out
            source(f"{known} = []")
            for field, condition in zip(tagged, told, strict=True):
                with source.field(field.name), source.block(f"if {condition}:"):
                    self.out = source.name("tag")
                    source(f"{self.out} = []")
                    self.value(field, f"{target}.{field.name}")
                    self.flush()
                    source(f"{known}.append(({field.tag}, join({self.out})))")
                    self.out = outer
            source(f"{outer}.append(write_tags({known}, {target}.unknown_tags))")
        with source.block("else:"):
            source(f"{self.out}.append(b'\\0')")

    # Values

    def value(self, field: Field, value: str) -> None:
        """Write one field."""
        if field.is_array:
            self.array(field, value)
        elif field.struct is not None:
            self.nested(field, field.struct, value)
        elif field.type in FIXED:
            if field.type == "uuid":
                self.source(f'if len({value}) != 16: raise Fault(f"a uuid of {{len({value})}} bytes")')
            self.fixed(value, FIXED[field.type][0])
        elif field.type == "records":
            self.records(field, value)
        else:
            self.text_or_bytes(field, value)

    def nested(self, field: Field, schema: StructSchema, value: str) -> None:
        if self.version not in field.nullable and value.isidentifier():
            self.struct(schema, value)
            return
        name = self.source.name("o")
        if self.version not in field.nullable:
            self.source(f"{name} = {value}")
            self.struct(schema, name)
            return
        self.flush()
        self.source(f"{name} = {value}")
        with self.source.block(f"if {name} is None:"):
            self.source(f"{self.out}.append(b'\\xff')")
        with self.source.block("else:"):
            self.piece("b'\\x01'")
            self.struct(schema, name)
            self.flush()

    def text_or_bytes(self, field: Field, value: str) -> None:
        source = self.source
        compact = self.flexible and field.flexible
        text = field.type == "string"
        encoded = f"{value}.encode()" if text else value
        name = source.name("s")
        null = _NULL_COMPACT if compact else _NULL_INT16 if text else _NULL_INT32
        if self.version in field.nullable:
            source(f"{name} = {value}")
            with source.block(f"if {name} is None:"):
                source(f"{name}, l{name} = b'', {null}")
            with source.block("else:"):
                if text:
                    source(f"{name} = {name}.encode()")
                source(f"l{name} = {self.length(f'len({name})', compact=compact, code='h' if text else 'i')}")
            self.piece(f"l{name}", name)
            return
        source(f"{name} = {encoded}")
        if compact:
            self.piece(self.length(f"len({name})", compact=compact, code="h" if text else "i"), name)
        else:
            self.fixed(f"len({name})", "h" if text else "i")
            self.piece(name)

    def length(self, expression: str, *, compact: bool, code: str) -> str:
        if compact:
            return f"{'STRING_LENGTHS' if code == 'h' else 'LENGTHS'}[{expression}]"
        return f"{self.source.pack(code)}({expression})"

    def records(self, field: Field, value: str) -> None:
        """Records are a chunk of their own, handed on as they are."""
        source = self.source
        compact = self.flexible and field.flexible
        name = source.name("r")
        self.flush()
        assert self.out == "out", "records inside a tagged field"
        source(f"{name} = {value}")
        null = f"out.append({_NULL_COMPACT if compact else _NULL_INT32})"
        if self.version not in field.nullable:
            null = 'raise Fault("null, where null is not allowed")'
        with source.block(f"if {name}:"):
            source(f"out.append({self.length(f'len({name})', compact=compact, code='i')})")
            source(f"chunks += (join(out), {name})")
            source("out = []")
        source(f"elif {name} is None: {null}")
        source(f"else: out.append({_EMPTY_COMPACT if compact else _EMPTY_INT32})")

    def array(self, field: Field, value: str) -> None:
        source = self.source
        compact = self.flexible and field.flexible
        items = source.name("items")
        self.flush()
        source(f"{items} = {value}")
        null = f"{self.out}.append({_NULL_COMPACT if compact else _NULL_INT32})"
        if self.version not in field.nullable:
            null = 'raise Fault("null, where null is not allowed")'
        with source.block(f"if {items}:"):
            self.elements(field, items, compact=compact)
        source(f"elif {items} is None: {null}")
        source(f"else: {self.out}.append({_EMPTY_COMPACT if compact else _EMPTY_INT32})")

    def elements(self, field: Field, items: str, *, compact: bool) -> None:
        source = self.source
        length = self.length(f"len({items})", compact=compact, code="i")
        if field.type in FIXED and field.type != "uuid":
            code = FIXED[field.type][0]
            source(f'{self.out} += ({length}, pack_array(f">{{len({items})}}{code}", *{items}))')
            return
        source(f"{self.out}.append({length})")
        item = source.name("o")
        element = Field(field.name, field.type, field.versions, flexible=field.flexible, struct=field.struct)
        with source.block(f"for {item} in {items}:"):
            self.value(element, item)
            self.flush()

    # What is pending

    def fixed(self, value: str, code: str) -> None:
        """A fixed-width value, to be packed together with its neighbours."""
        self.run.append((value, code))
        self.note()

    def piece(self, *expressions: str) -> None:
        """Bytes to be written behind what is pending."""
        self.flush_run()
        self.pieces += expressions
        self.note()

    def note(self) -> None:
        path = ".".join(self.source.path)
        if path not in self.about:
            self.about.append(path)

    def flush_run(self) -> None:
        """Turn the pending fixed-width values into one piece."""
        if self.run:
            run, self.run = self.run, []
            formats = "".join(code for _, code in run)
            self.pieces.append(f"{self.source.pack(formats)}({', '.join(value for value, _ in run)})")

    def flush(self) -> None:
        """Write the pending pieces, in one statement that is about all of their fields."""
        self.flush_run()
        if self.pieces:
            pieces, self.pieces = self.pieces, []
            about, self.about = self.about, []
            statement = f"append({pieces[0]})" if len(pieces) == 1 else f"extend(({', '.join(pieces)}))"
            self.source(f"{self.out}.{statement}", about=", ".join(about))
