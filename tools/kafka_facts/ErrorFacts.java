// Prints Kafka's error codes: name, code, whether a client may retry, and the class of the exception.

import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.*;
import org.apache.kafka.common.errors.InvalidMetadataException;
import org.apache.kafka.common.errors.RefreshRetriableException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.protocol.Errors;

public class ErrorFacts {
    public static void main(String[] arguments) throws Exception {
        Map<String, Object> out = new TreeMap<>();
        for (Errors error : Errors.values()) {
            Map<String, Object> entry = new TreeMap<>();
            entry.put("code", error.code());
            entry.put("exception", error.exception() == null ? null : error.exception().getClass().getSimpleName());
            entry.put("retriable", error.exception() instanceof RetriableException);
            entry.put("refreshesMetadata", error.exception() instanceof RefreshRetriableException);
            entry.put("invalidMetadata", error.exception() instanceof InvalidMetadataException);
            out.put(error.name(), entry);
        }
        System.out.println(new ObjectMapper().writeValueAsString(out));
    }
}
