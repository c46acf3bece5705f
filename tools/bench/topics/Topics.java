/*
 * Many topics through Java's AdminClient, in batches, one request after the other: created, listed, described, altered,
 * grown, deleted. Arguments: BOOTSTRAP TOPICS BATCH. Prints a line "phase milliseconds" for each phase; every answer is
 * looked at, and each phase ends only when the broker tells of what was done.
 */
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.config.ConfigResource;

public class Topics {
    interface Work {
        void run(List<String> names) throws Exception;
    }

    static Admin admin;
    static List<List<String>> batches = new ArrayList<>();

    public static void main(String[] words) throws Exception {
        int topics = Integer.parseInt(words[1]);
        int batch = Integer.parseInt(words[2]);
        for (int first = 0; first < topics; first += batch) {
            List<String> names = new ArrayList<>();
            for (int at = first; at < Math.min(topics, first + batch); at++) names.add(String.format("many-%05d", at));
            batches.add(names);
        }
        Properties settings = new Properties();
        settings.put("bootstrap.servers", words[0]);
        settings.put("default.api.timeout.ms", "300000");
        settings.put("request.timeout.ms", "120000");
        admin = Admin.create(settings);
        admin.describeCluster().nodes().get();
        phase("create", topics, Topics::create);
        phase("list", topics, names -> listed());
        phase("describe", topics, names -> describe(names, 1));
        phase("describe configs", topics, Topics::describeConfigs);
        phase("alter configs", topics, Topics::alter);
        phase("create partitions", topics, Topics::grow);
        phase("describe again", topics, names -> describe(names, 2));
        phase("delete", 0, names -> admin.deleteTopics(names).all().get());
        admin.close();
    }

    /** Ends when as many topics are listed as there shall be. */
    static void phase(String name, int expected, Work work) throws Exception {
        long startedNs = System.nanoTime();
        for (List<String> names : batches) work.run(names);
        boolean counts = !name.startsWith("describe");
        while (counts && listed() != expected) Thread.sleep(10);
        System.out.println(name + "\t" + (System.nanoTime() - startedNs) / 1_000_000);
    }

    static long listed() throws Exception {
        Set<String> names = admin.listTopics().names().get();
        return names.stream().filter(name -> name.startsWith("many-")).count();
    }

    static void create(List<String> names) throws Exception {
        Collection<NewTopic> wanted = names.stream().map(n -> new NewTopic(n, 1, (short) 1)).collect(Collectors.toList());
        admin.createTopics(wanted).all().get();
    }

    static void describe(List<String> names, int partitions) throws Exception {
        while (!areDescribed(admin.describeTopics(names).allTopicNames().get().values(), partitions)) Thread.sleep(10);
    }

    static boolean areDescribed(Collection<TopicDescription> topics, int partitions) {
        return topics.stream().allMatch(topic -> topic.partitions().size() == partitions);
    }

    static List<ConfigResource> resources(List<String> names) {
        return names.stream().map(n -> new ConfigResource(ConfigResource.Type.TOPIC, n)).collect(Collectors.toList());
    }

    static void describeConfigs(List<String> names) throws Exception {
        Map<ConfigResource, Config> found = admin.describeConfigs(resources(names)).all().get();
        if (found.size() != names.size()) throw new IllegalStateException("configs of " + found.size());
    }

    static void alter(List<String> names) throws Exception {
        AlterConfigOp change = new AlterConfigOp(new ConfigEntry("retention.ms", "86400000"), AlterConfigOp.OpType.SET);
        Map<ConfigResource, Collection<AlterConfigOp>> changes = new HashMap<>();
        for (ConfigResource resource : resources(names)) changes.put(resource, List.of(change));
        admin.incrementalAlterConfigs(changes).all().get();
    }

    static void grow(List<String> names) throws Exception {
        Map<String, NewPartitions> wanted = new HashMap<>();
        for (String name : names) wanted.put(name, NewPartitions.increaseTo(2));
        admin.createPartitions(wanted).all().get();
    }
}
