"""One class per message for all its versions, one module per family.

Generated from `ottla.protocol.schema` by `make docs`; do not edit. Structs inside a message are classes inside its
class, as `FetchRequest.FetchTopic`. What a field means, and in which versions it exists, is told by the schema text.
"""
