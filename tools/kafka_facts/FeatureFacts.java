// Prints the features of a Kafka cluster (metadata.version, kraft.version, ...): levels, dependencies, defaults, ranges.

import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.*;
import org.apache.kafka.server.BrokerFeatures;
import org.apache.kafka.server.common.*;

public class FeatureFacts {
    public static void main(String[] arguments) throws Exception {
        Map<String, Object> out = new TreeMap<>();
        out.put("metadataVersions", metadataVersions());
        out.put("features", features());
        out.put("supportedRanges", ranges(false));
        out.put("supportedRangesUnstable", ranges(true));
        out.put("minimumMetadataVersion", MetadataVersion.MINIMUM_VERSION.version());
        out.put("latestProductionMetadataVersion", MetadataVersion.latestProduction().version());
        System.out.println(new ObjectMapper().writeValueAsString(out));
    }

    static List<Object> metadataVersions() {
        List<Object> out = new ArrayList<>();
        for (MetadataVersion version : MetadataVersion.VERSIONS) {
            Map<String, Object> entry = new TreeMap<>();
            entry.put("name", version.version());
            entry.put("shortVersion", version.shortVersion());
            entry.put("level", version.featureLevel());
            entry.put("metadataChanged", version.didMetadataChange());
            entry.put("production", version.isProduction());
            Map<String, Object> records = new TreeMap<>();
            records.put("registerBrokerRecord", version.registerBrokerRecordVersion());
            records.put("partitionRecord", version.partitionRecordVersion());
            records.put("partitionChangeRecord", version.partitionChangeRecordVersion());
            records.put("fetchRequest", version.fetchRequestVersion());
            records.put("listOffsetRequest", version.listOffsetRequestVersion());
            if (version.isControllerRegistrationSupported())
                records.put("registerControllerRecord", version.registerControllerRecordVersion());
            entry.put("versions", records);
            List<String> supports = new ArrayList<>();
            if (version.isScramSupported()) supports.add("scram");
            if (version.isLeaderEpochBumpRequiredOnIsrShrink()) supports.add("leaderEpochBumpOnIsrShrink");
            if (version.isMetadataTransactionSupported()) supports.add("metadataTransaction");
            if (version.isDelegationTokenSupported()) supports.add("delegationToken");
            if (version.isDirectoryAssignmentSupported()) supports.add("directoryAssignment");
            if (version.isElrSupported()) supports.add("elr");
            if (version.isMigrationSupported()) supports.add("migration");
            if (version.isCordonedLogDirsSupported()) supports.add("cordonedLogDirs");
            if (version.isControllerRegistrationSupported()) supports.add("controllerRegistration");
            Collections.sort(supports);
            entry.put("supports", supports);
            Map<String, Object> defaults = new TreeMap<>();
            for (Feature feature : Feature.PRODUCTION_FEATURES)
                defaults.put(feature.featureName(), feature.defaultLevel(version));
            entry.put("defaultLevels", defaults);
            out.add(entry);
        }
        return out;
    }

    static Map<String, Object> features() {
        Map<String, Object> out = new TreeMap<>();
        for (Feature feature : Feature.PRODUCTION_FEATURES) {
            List<Object> levels = new ArrayList<>();
            for (FeatureVersion version : feature.featureVersions()) {
                Map<String, Object> entry = new TreeMap<>();
                entry.put("name", version.toString());
                entry.put("level", version.featureLevel());
                entry.put("bootstrapMetadataVersion", version.bootstrapMetadataVersion().version());
                entry.put("dependencies", new TreeMap<>(version.dependencies()));
                levels.add(entry);
            }
            Map<String, Object> entry = new TreeMap<>();
            entry.put("levels", levels);
            entry.put("minimumProduction", feature.minimumProduction());
            entry.put("latestProduction", feature.latestProduction());
            entry.put("latestTesting", feature.latestTesting());
            out.put(feature.featureName(), entry);
        }
        return out;
    }

    static Map<String, Object> ranges(boolean unstable) {
        Map<String, Object> out = new TreeMap<>();
        BrokerFeatures.defaultSupportedFeatures(unstable).features()
            .forEach((name, range) -> out.put(name, List.of(range.min(), range.max())));
        return out;
    }
}
