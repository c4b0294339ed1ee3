"""Generates the reader of a (message, version): straight-line source, compiled once, on first use.

    read(buf, pos) -> message              the message fills the buffer to its end
    read(buf, pos) -> (message, position)  a prefix, such as a header

Runs of fixed-width fields are one `unpack_from`, and the length of what follows them rides along in the same call.
Records stay views into the buffer; everything else is copied out of it, so a message without records may outlive it.
Every length is checked against the bytes that remain before anything is allocated or looped over, and the number of
elements is bounded. Whatever is wrong ends in one `MalformedMessage` that names message, version, field and position.
"""

import struct
from collections.abc import Callable
from typing import Any

from ottla.errors import MalformedMessage
from ottla.protocol.codec import wire
from ottla.protocol.codec.schema import FIXED, Default, Field, MessageSchema, StructSchema
from ottla.protocol.codec.source import Source

Run = list[tuple[str, str, str]]  # pending fixed-width values: (target, format, field name)

_STRUCT_ERROR = struct.error


def compile_reader(schema: MessageSchema, cls: type, version: int, *, prefix: bool) -> Callable[..., Any]:
    """The reader of one version of a message."""
    return _Generator(schema, cls, version, prefix=prefix).compile()


class _Generator:
    def __init__(self, schema: MessageSchema, cls: type, version: int, *, prefix: bool) -> None:
        self.schema, self.cls, self.version, self.prefix = schema, cls, version, prefix
        self.flexible = version in schema.flexible
        self.keeps_views = any(f.type == "records" for s in (schema, *schema.structs) for f in s.present(version))
        self.source = Source(
            {
                "new": object.__new__,
                "unpack_from": struct.unpack_from,
                "failures": (IndexError, _STRUCT_ERROR, UnicodeDecodeError, wire.Fault),
                "explain": self.explain,
                "Fault": wire.Fault,
                "ZERO_UUID": wire.ZERO_UUID,
                "MAX_ELEMENTS": wire.MAX_REQUEST_ELEMENTS if schema.kind == "request" else wire.MAX_ELEMENTS,
                "read_uvarint": wire.read_uvarint,
                "read_unknown_tags": wire.read_unknown_tags,
                "read_unknown_tag": wire.read_unknown_tag,
                "string_fault": wire.string_fault,
                "bytes_fault": wire.bytes_fault,
                "array_fault": wire.array_fault,
                "elements_fault": wire.elements_fault,
            }
        )
        self.run: Run = []

    def compile(self) -> Callable[..., Any]:
        source = self.source
        with source.block("def read(buf, pos):"):
            wanted, convert = ("memoryview", "memoryview(buf)") if self.keeps_views else ("bytes", "bytes(buf)")
            source(f"if type(buf) is not {wanted}: buf = {convert}")
            source("end = len(buf)")
            source("room = MAX_ELEMENTS")
            with source.block("try:"):
                self.struct(self.schema, "m")
                if self.prefix:
                    source("return m, pos")
                else:
                    with source.block("if pos != end:"):
                        source('raise Fault(f"{end - pos} bytes left over")')
                    source("return m")
            with source.block("except failures as failure:"):
                source("raise explain(failure, pos, end) from None")
        return source.compile("read", f"reader of {self.schema.name} v{self.version}")

    def explain(self, failure: Exception, position: int, end: int) -> MalformedMessage:
        """The one error, for a failure in the generated source."""
        assert failure.__traceback__ is not None
        field = self.source.fields[failure.__traceback__.tb_lineno - 1]
        if isinstance(failure, wire.Fault):
            reason = str(failure)
        elif isinstance(failure, UnicodeDecodeError):
            reason = f"not UTF-8 ({failure.reason})"
        else:
            field, position = _first_cut_off(field, position, end)
            reason = f"the message ends after {end} bytes"
        where = f"{field} at byte {position}" if field else f"byte {position}"
        return MalformedMessage(f"{self.schema.name} v{self.version}: {where}: {reason}")

    # Structs and their tags

    def struct(self, schema: StructSchema, target: str) -> None:
        """Read a struct into a new object called `target`."""
        source = self.source
        cls = self.cls if schema is self.schema else getattr(self.cls, schema.name)
        source(f"{target} = new({source.bind(f'C_{schema.name}', cls)})")
        preset: dict[str, list[str]] = {"()": [f"{target}.unknown_tags"]}
        tagged = schema.tagged(self.version)
        for field in (*schema.absent(self.version), *tagged):
            preset.setdefault(default_expression(field, self.source, self.cls), []).append(f"{target}.{field.name}")
        for value, targets in preset.items():
            source(" = ".join([*targets, value]))
        for field in schema.present(self.version):
            with source.field(field.name):
                self.value(field, f"{target}.{field.name}")
        if self.flexible:
            with source.field("tags"):
                self.tags(tagged, target)
        else:
            self.flush()

    def tags(self, tagged: list[Field], target: str) -> None:
        source = self.source
        self.length("B")
        with source.block("if n:"):
            self.long_uvarint()
            if not tagged:
                source(f"{target}.unknown_tags, pos = read_unknown_tags(buf, pos, n)")
                return
            limit, tag, unknown = source.name("limit"), source.name("tag"), source.name("unknown")
            source(f"{unknown} = []")
            with source.block("for _ in range(n):"):
                source(f"{tag}, pos = read_uvarint(buf, pos)")
                for word, field in zip(["if", *["elif"] * len(tagged)], tagged, strict=False):
                    with source.block(f"{word} {tag} == {field.tag}:"):
                        source("n, pos = read_uvarint(buf, pos)")
                        source(f"{limit} = pos + n")
                        with source.field(field.name):
                            with source.block(f"if {limit} > end:"):
                                source("raise bytes_fault(n, end - pos)")
                            self.value(field, f"{target}.{field.name}")
                            self.flush()
                            with source.block(f"if pos != {limit}:"):
                                source(f'raise Fault(f"does not fill its tag: ends {{{limit} - pos}} bytes before it")')
                with source.block("else:"):
                    source(f"pos = read_unknown_tag(buf, pos, {tag}, {unknown})")
            source(f"if {unknown}: {target}.unknown_tags = tuple({unknown})")

    # Values

    def value(self, field: Field, target: str) -> None:
        """Read one field into `target`."""
        if field.is_array:
            self.array(field, target)
        elif field.struct is not None:
            self.nested(field, field.struct, target)
        elif field.type in FIXED:
            self.run.append((target, FIXED[field.type][0], ".".join(self.source.path)))
        else:
            self.text_or_bytes(field, target)

    def nested(self, field: Field, schema: StructSchema, target: str) -> None:
        source = self.source
        name = source.name("o")
        if self.version not in field.nullable:
            self.flush()
            self.struct(schema, name)
            source(f"{target} = {name}")
            return
        self.length("b")
        source(f"if n < 0: {target} = None")
        with source.block("else:"):
            self.struct(schema, name)
            source(f"{target} = {name}")

    def text_or_bytes(self, field: Field, target: str) -> None:
        source = self.source
        compact = self.flexible and field.flexible
        is_string = field.type == "string"
        self.length("B" if compact else "h" if is_string else "i")
        fault = f"{'string' if is_string else 'bytes'}_fault(n{' - 1' if compact else ''}, end - pos)"
        if compact:
            with source.block("if n > 127:"):
                source("n, pos = read_uvarint(buf, pos - 1)")
                if is_string:
                    source(f"if n > {wire.MAX_STRING_BYTES + 1}: raise {fault}")
        if self.version in field.nullable:
            source(f"if n {'== 0' if compact else '< 0'}: {target} = None")
            with source.block("else:"):
                self.slice(field, target, "pos + n - 1" if compact else "pos + n", fault)
        else:
            self.slice(field, target, "pos + n - 1" if compact else "pos + n", fault)

    def slice(self, field: Field, target: str, stop: str, fault: str) -> None:
        source = self.source
        source(f"stop = {stop}")
        source(f"if not pos <= stop <= end: raise {fault}")
        if field.type == "string":
            source(f"{target} = " + ('str(buf[pos:stop], "utf-8")' if self.keeps_views else "buf[pos:stop].decode()"))
        elif field.type == "bytes" and self.keeps_views:
            source(f"{target} = bytes(buf[pos:stop])")
        else:
            source(f"{target} = buf[pos:stop]")
        source("pos = stop")

    def array(self, field: Field, target: str) -> None:
        source = self.source
        compact = self.flexible and field.flexible
        self.length("B" if compact else "i")
        empty, null = ("n == 1", "n == 0") if compact else ("n == 0", "n < 0")
        source(f"if {empty}: {target} = ()")
        if self.version in field.nullable:
            source(f"elif {null}: {target} = None")
        with source.block("else:"):
            if compact:
                source("if n > 127: n, pos = read_uvarint(buf, pos - 1)")
                source("n -= 1")
            smallest = self.smallest_element(field)
            room = "end - pos" if smallest == 1 else f"(end - pos) // {smallest}"
            source(f"if not 0 <= n <= {room}: raise array_fault(n, end - pos)")
            source("room -= n")
            source("if room < 0: raise elements_fault(MAX_ELEMENTS)")
            self.elements(field, target)

    def elements(self, field: Field, target: str) -> None:
        source = self.source
        if field.type == "uuid":
            source(f"{target} = [bytes(buf[at:at + 16]) for at in range(pos, pos + 16 * n, 16)]")
            source("pos += 16 * n")
            return
        if field.type in FIXED:
            code, size = FIXED[field.type]
            one = source.unpack(code)
            source(f'{target} = {one}(buf, pos) if n == 1 else unpack_from(f">{{n}}{code}", buf, pos)')
            source("pos += n" if size == 1 else f"pos += {size} * n")
            return
        items, item = source.name("items"), source.name("o")
        source(f"{items} = {target} = []")
        with source.block("for _ in range(n):"):
            if field.struct is not None:
                self.struct(field.struct, item)
            else:
                self.text_or_bytes(Field(field.name, field.type, field.versions, flexible=field.flexible), item)
            source(f"{items}.append({item})")

    # The run of fixed-width values that is pending

    def length(self, code: str) -> None:
        """Read a length into `n`, in the same call as the pending run."""
        if not self.run and code == "B":
            self.source("n = buf[pos]")
            self.source("pos += 1")
        else:
            self.run.append(("n", code, ".".join(self.source.path)))
            self.flush()

    def long_uvarint(self) -> None:
        """Where the first byte of a varint says that there is more."""
        self.source("if n > 127: n, pos = read_uvarint(buf, pos - 1)")

    def flush(self) -> None:
        """Read the pending run."""
        if not self.run:
            return
        run, self.run = self.run, []
        formats = "".join(code for _, code, _ in run)
        targets = ", ".join(target for target, _, _ in run) + ("," if len(run) == 1 else "")
        cut = " ".join(f"{name}:{struct.calcsize('>' + code)}" for _, code, name in run)
        self.source(f"{targets} = {self.source.unpack(formats)}(buf, pos)", about=cut)
        self.source(f"pos += {struct.calcsize('>' + formats)}")

    # What a version's encoding takes at least

    def smallest_element(self, field: Field) -> int:
        """The fewest bytes that an element of this array can take: what bounds the length of the array."""
        if field.type in FIXED:
            return FIXED[field.type][1]
        if field.struct is not None:
            return self.smallest_struct(field.struct)
        return 1 if self.flexible and field.flexible else 2 if field.type == "string" else 4

    def smallest_struct(self, schema: StructSchema) -> int:
        total = 1 if self.flexible else 0
        for field in schema.present(self.version):
            if field.is_array:
                total += 1 if self.flexible and field.flexible else 4
            elif field.struct is None:
                total += self.smallest_element(field)
            else:
                total += 1 if self.version in field.nullable else self.smallest_struct(field.struct)
        assert total > 0, f"{self.schema.name} v{self.version}: an element of {schema.name} takes no bytes"
        return total


def default_expression(field: Field, source: Source, cls: type) -> str:
    """The source of a field's default: a literal, or the name of a shared value."""
    if field.default is None:
        return "None"
    if field.is_array:
        return "()"
    if field.struct is not None:
        return source.bind(f"D_{field.struct.name}", getattr(cls, field.struct.name).default())
    if field.type == "uuid":
        return "ZERO_UUID"
    value: Default | bytes = b"" if field.type == "bytes" else field.default
    return repr(value)


def _first_cut_off(run: str, position: int, end: int) -> tuple[str, int]:
    """Of a run of fixed-width fields `name:size ...`, the first that the bytes no longer cover, and where it starts."""
    for entry in run.split(" "):
        name, _, size = entry.partition(":")
        if not size or position + int(size) > end:
            return name, position
        position += int(size)
    return run, position
