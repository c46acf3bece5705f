/*
 * Runs one of Kafka's performance tools several times at once in one JVM, as several JVMs would drown a small machine
 * in their starts: Many TOOL TIMES WORD…, where # in a word stands for the number of the run.
 */
public class Many {
    public static void main(String[] args) throws Exception {
        var tool = Class.forName("org.apache.kafka.tools." + args[0]).getMethod("main", String[].class);
        int times = Integer.parseInt(args[1]);
        Thread[] runs = new Thread[times];
        var failed = new java.util.concurrent.atomic.AtomicBoolean();
        for (int i = 0; i < times; i++) {
            String number = String.valueOf(i);
            String[] words = java.util.Arrays.stream(args).skip(2).map(w -> w.replace("#", number)).toArray(String[]::new);
            runs[i] = new Thread(() -> {
                try {
                    tool.invoke(null, (Object) words);
                } catch (Exception e) {
                    e.printStackTrace();
                    failed.set(true);
                }
            });
            runs[i].start();
        }
        for (Thread run : runs) run.join();
        System.exit(failed.get() ? 1 : 0);
    }
}
