import java.time.Duration;

/** Settings of a connection. */
public final class Settings {
    /** How long a call may take. */
    public Duration callLimit = Duration.ofSeconds(30);
}
