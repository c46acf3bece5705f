import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Runs Kafka's command line tools, one after the other, in one virtual machine: each as its own script would, with its
 * output and its exit code apart. Threads that a tool starts write to the same tool's output.
 *
 * A line of standard input is a request, its words in Base64; a line of standard output is the answer to it:
 *
 *     run TIMEOUT_MS INPUT CLASS WORD...     EXIT_CODE STDOUT STDERR     -1: it did not end in time
 *     start NAME CLASS WORD...               0 - -                       it runs on, until it is stopped
 *     stop NAME                              EXIT_CODE STDOUT STDERR     as SIGTERM does: its shutdown hooks run
 */
public final class ToolRunner {
    private static final int NOT_DONE = -1;
    private static final long STOP_TIMEOUT_MS = 20_000;

    /** What a tool says and how it ends. Until its shutdown hooks have run, all its threads are heard. */
    private static final class Session {
        final ByteArrayOutputStream out = new ByteArrayOutputStream();
        final ByteArrayOutputStream err = new ByteArrayOutputStream();
        final List<Runnable> hooks = new ArrayList<>();
        final CompletableFuture<Integer> exit = new CompletableFuture<>();
        final InputStream in;
        boolean ended = false;

        Session(String input) {
            in = new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8));
        }
    }

    /** Thrown where the process would be gone. */
    private static final class Gone extends Error {
        Gone() {
            super("exit", null, false, false);
        }
    }

    private static final InheritableThreadLocal<Session> SESSION = new InheritableThreadLocal<>();
    /** Whether this thread asked for the end of the process: it would say nothing more. */
    private static final ThreadLocal<Boolean> GONE = ThreadLocal.withInitial(() -> false);

    private static final class Routed extends OutputStream {
        private final boolean isErr;

        Routed(boolean isErr) {
            this.isErr = isErr;
        }

        @Override
        public void write(int one) {
            write(new byte[] {(byte) one}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int from, int count) {
            Session session = SESSION.get();
            if (session == null || GONE.get()) return;
            synchronized (session) {
                if (!session.ended) (isErr ? session.err : session.out).write(bytes, from, count);
            }
        }
    }

    private static final class RoutedInput extends InputStream {
        @Override
        public int read() {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] bytes, int from, int count) {
            try {
                return SESSION.get().in.read(bytes, from, count);
            } catch (java.io.IOException error) {
                throw new IllegalStateException(error);
            }
        }
    }

    private static void exit(int code) {
        SESSION.get().exit.complete(code);
        GONE.set(true);
        throw new Gone();
    }

    /** Kafka's own switch for its tests; the class moved in 4.4. */
    private static void takeExits() throws ReflectiveOperationException {
        Class<?> exits;
        try {
            exits = Class.forName("org.apache.kafka.common.utils.internals.Exit");
        } catch (ClassNotFoundException before44) {
            exits = Class.forName("org.apache.kafka.common.utils.Exit");
        }
        for (Method setter : exits.getMethods()) {
            if (!setter.getName().matches("setExitProcedure|setHaltProcedure|setShutdownHookAdder")) continue;
            Class<?> kind = setter.getParameterTypes()[0];
            Object procedure = Proxy.newProxyInstance(kind.getClassLoader(), new Class<?>[] {kind}, (self, method, given) -> {
                if (given[0] instanceof Integer) exit((Integer) given[0]);
                SESSION.get().hooks.add((Runnable) given[1]);
                return null;
            });
            setter.invoke(null, procedure);
        }
    }

    private static Session launch(String input, String main, String[] words) {
        Session session = new Session(input);
        SESSION.set(session);
        Thread thread = new Thread(() -> {
            try {
                Class.forName(main).getMethod("main", String[].class).invoke(null, (Object) words);
                // A main method that returns ends the process when its threads have ended; those of a tool are few.
                session.exit.complete(0);
            } catch (InvocationTargetException error) {
                if (!(error.getCause() instanceof Gone)) error.getCause().printStackTrace();
                session.exit.complete(1);
            } catch (ReflectiveOperationException error) {
                error.printStackTrace();
                session.exit.complete(1);
            }
        }, "tool");
        thread.setDaemon(true);
        thread.start();
        SESSION.remove();
        return session;
    }

    private static String answer(Session session, long timeoutMs) throws Exception {
        int code = NOT_DONE;
        try {
            code = session.exit.get(timeoutMs, TimeUnit.MILLISECONDS);
        } catch (TimeoutException late) {
            session.exit.complete(NOT_DONE);
        }
        runHooks(session);
        synchronized (session) {
            session.ended = true;
            return code + " " + encode(session.out.toByteArray()) + " " + encode(session.err.toByteArray());
        }
    }

    private static String encode(byte[] bytes) {
        return bytes.length == 0 ? "-" : Base64.getEncoder().encodeToString(bytes);
    }

    /** The shutdown hooks of a tool, to their ends. */
    private static void runHooks(Session session) throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (Runnable hook : session.hooks) {
            SESSION.set(session);
            Thread thread = new Thread(hook);
            thread.start();
            threads.add(thread);
            SESSION.remove();
        }
        session.hooks.clear();
        for (Thread thread : threads) thread.join(STOP_TIMEOUT_MS);
    }

    public static void main(String[] arguments) throws Exception {
        PrintStream answers = System.out;
        BufferedReader requests = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        System.setOut(new PrintStream(new Routed(false), true, StandardCharsets.UTF_8));
        System.setErr(new PrintStream(new Routed(true), true, StandardCharsets.UTF_8));
        System.setIn(new RoutedInput());
        takeExits();
        Map<String, Session> running = new HashMap<>();
        for (String line = requests.readLine(); line != null; line = requests.readLine()) {
            String[] words = Arrays.stream(line.split(" ", -1))
                .map(word -> new String(Base64.getDecoder().decode(word), StandardCharsets.UTF_8))
                .toArray(String[]::new);
            switch (words[0]) {
                case "run": {
                    Session session = launch(words[2], words[3], Arrays.copyOfRange(words, 4, words.length));
                    answers.println(answer(session, Long.parseLong(words[1])));
                    break;
                }
                case "start":
                    running.put(words[1], launch("", words[2], Arrays.copyOfRange(words, 3, words.length)));
                    answers.println("0 - -");
                    break;
                case "stop": {
                    Session session = running.remove(words[1]);
                    runHooks(session);
                    answers.println(answer(session, STOP_TIMEOUT_MS));
                    break;
                }
                default:
                    throw new IllegalArgumentException("run, start or stop, not " + words[0]);
            }
            answers.flush();
        }
        Runtime.getRuntime().halt(0);
    }
}
