// Prints the schemas of all generated messages that are not requests or responses: records of the internal topics and of
// the metadata log, control records, headers, and what lies in files beside the log. Found by walking the jars.

import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.ByteBuffer;
import java.nio.file.*;
import java.util.*;
import java.util.jar.*;
import java.util.stream.Stream;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.protocol.types.*;

public class SchemaFacts {
    public static void main(String[] arguments) throws Exception {
        Map<String, Object> out = new TreeMap<>();
        List<Path> jars;
        try (Stream<Path> files = Files.list(Path.of(arguments[0]))) {
            jars = files.filter(path -> path.getFileName().toString().matches("kafka[-_].*\\.jar")).sorted().toList();
        }
        for (Path jar : jars) {
            if (jar.getFileName().toString().startsWith("kafka-streams")) continue;
            try (JarFile file = new JarFile(jar.toFile())) {
                for (JarEntry entry : Collections.list(file.entries())) {
                    String name = entry.getName();
                    if (name.matches(".*/(message|metadata|generated)/[A-Za-z]+\\.class")) add(out, name.replace('/', '.').substring(0, name.length() - 6));
                }
            }
        }
        System.out.println(new ObjectMapper().writeValueAsString(out));
    }

    static void add(Map<String, Object> out, String name) throws Exception {
        Class<?> type = Class.forName(name, false, SchemaFacts.class.getClassLoader());
        if (!Message.class.isAssignableFrom(type) || type.isInterface()) return;
        String simple = type.getSimpleName();
        if (simple.endsWith("RequestData") || simple.endsWith("ResponseData")) return;
        Schema[] schemas = (Schema[]) type.getField("SCHEMAS").get(null);
        short lowest = type.getField("LOWEST_SUPPORTED_VERSION").getShort(null);
        short highest = type.getField("HIGHEST_SUPPORTED_VERSION").getShort(null);
        Map<String, Object> versions = new LinkedHashMap<>();
        for (int version = lowest; version <= highest; version++) versions.put(Integer.toString(version), fields(schemas[version]));
        Map<String, Object> entry = new TreeMap<>();
        entry.put("package", type.getPackageName());
        entry.put("apiKey", ApiMessage.class.isAssignableFrom(type)
            ? ((ApiMessage) type.getDeclaredConstructor().newInstance()).apiKey() : null);
        entry.put("versions", versions);
        entry.put("defaultBytes", defaultBytes((Message) type.getDeclaredConstructor().newInstance(), lowest, highest));
        if (out.put(simple, entry) != null) throw new IllegalStateException("two messages are called " + simple);
    }

    /** What a message whose fields all have their defaults is written as, in hexadecimal. */
    static Map<String, String> defaultBytes(Message message, short lowest, short highest) {
        Map<String, String> out = new LinkedHashMap<>();
        for (short version = lowest; version <= highest; version++) {
            ByteBuffer buffer = MessageUtil.toByteBufferAccessor(message, version).buffer();
            byte[] bytes = new byte[buffer.remaining()];
            buffer.get(bytes);
            out.put(Short.toString(version), HexFormat.of().formatHex(bytes));
        }
        return out;
    }

    /** A structure: a list of [name, type] in order; tagged fields come last as {"tags": {tag: [name, type]}}. */
    static List<Object> fields(Schema schema) {
        List<Object> out = new ArrayList<>();
        for (BoundField bound : schema.fields()) {
            if (bound.def.type instanceof TaggedFields tagged) {
                Map<String, Object> tags = new LinkedHashMap<>();
                for (var tag : new TreeMap<>(tagged.fields()).entrySet())
                    tags.put(tag.getKey().toString(), List.of(tag.getValue().name, type(tag.getValue().type)));
                out.add(Map.of("tags", tags));
            } else out.add(List.of(bound.def.name, type(bound.def.type)));
        }
        return out;
    }

    /** A scalar is its lower-case name; an array and a structure are objects with their parts. */
    static Object type(Type type) {
        if (type instanceof Schema schema) return type.isNullable()
            ? Map.of("struct", fields(schema), "nullable", true) : Map.of("struct", fields(schema));
        if (type.isArray()) {
            Map<String, Object> out = new TreeMap<>();
            out.put(type.getClass().getSimpleName().startsWith("Compact") ? "compact_array" : "array", type(type.arrayElementType().get()));
            if (type.isNullable()) out.put("nullable", true);
            return out;
        }
        return ((Type.DocumentedType) type).typeName().toLowerCase(Locale.ROOT);
    }
}
