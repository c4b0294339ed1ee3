"""What a version cannot say is taken out of a message, so that it can be written in that version.

A writer refuses a field that is set and that its version has not, since whoever set it would not be understood. Where
whoever answers does not know in which version he is asked, he says all that he knows, and the rest is left out here:
every such field gets its default, at every depth.

Always true: what the version has is left as it is, and a message that the version can say is not touched.
"""

from ottla.protocol.codec.message import Message, Struct
from ottla.protocol.codec.schema import StructSchema


def narrow(message: Message, version: int) -> None:
    """Take out of this message what the version has no field for."""
    _narrow(message, type(message).schema(), version)


def _narrow(struct: Struct, schema: StructSchema, version: int) -> None:
    for field in schema.fields:
        value = getattr(struct, field.name)
        if version not in field.versions:
            default = getattr(type(struct).default(), field.name)
            if value != default:
                setattr(struct, field.name, default)
        elif field.struct is not None and value is not None:
            for each in value if field.is_array else (value,):
                _narrow(each, field.struct, version)
