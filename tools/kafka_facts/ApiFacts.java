// Prints Kafka's API keys: id, versions, listeners, header versions. Versions that the Java code has a schema for but that
// are withdrawn or unstable are told apart.

import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.*;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.types.*;

public class ApiFacts {
    public static void main(String[] arguments) throws Exception {
        Map<String, Object> out = new TreeMap<>();
        for (ApiKeys key : ApiKeys.values()) {
            ApiMessageType type = key.messageType;
            Map<String, Object> entry = new TreeMap<>();
            entry.put("id", key.id);
            entry.put("name", key.name);
            entry.put("clusterAction", key.clusterAction);
            entry.put("forwardable", key.forwardable);
            entry.put("listeners", type.listeners().stream().map(x -> x.name().toLowerCase(Locale.ROOT)).sorted().toList());
            entry.put("minVersion", key.oldestVersion());
            entry.put("maxVersion", key.latestVersion(false));
            entry.put("maxVersionUnstable", key.latestVersion(true));
            entry.put("latestVersionUnstable", type.latestVersionUnstable());
            entry.put("served", key.hasValidVersion());
            entry.put("deprecatedVersions", List.of(type.lowestDeprecatedVersion(), type.highestDeprecatedVersion()));
            for (var listener : ApiMessageType.ListenerType.values()) {
                var advertised = key.toApiVersionForApiResponse(false, listener);
                if (key.inScope(listener)) entry.put("advertised_" + listener.name().toLowerCase(Locale.ROOT),
                    advertised.map(range -> List.of(range.minVersion(), range.maxVersion())).orElse(null));
            }
            Map<String, Object> requestHeaders = new LinkedHashMap<>();
            Map<String, Object> responseHeaders = new LinkedHashMap<>();
            for (short version : key.hasValidVersion() ? key.allVersions() : List.<Short>of()) {
                requestHeaders.put(Short.toString(version), key.requestHeaderVersion(version));
                responseHeaders.put(Short.toString(version), key.responseHeaderVersion(version));
            }
            entry.put("requestHeaderVersions", requestHeaders);
            entry.put("responseHeaderVersions", responseHeaders);
            entry.put("requestFlexibleFrom", flexibleFrom(type.requestSchemas()));
            entry.put("responseFlexibleFrom", flexibleFrom(type.responseSchemas()));
            out.put(key.name(), entry);
        }
        System.out.println(new ObjectMapper().writeValueAsString(out));
    }

    /** The first version whose outermost structure ends in tagged fields; null when none does. */
    static Integer flexibleFrom(Schema[] schemas) {
        for (int version = 0; version < schemas.length; version++) {
            if (schemas[version] == null) continue;
            for (BoundField field : schemas[version].fields())
                if (field.def.type instanceof TaggedFields) return version;
        }
        return null;
    }
}
