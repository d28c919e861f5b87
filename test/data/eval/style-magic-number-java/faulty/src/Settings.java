import java.time.Duration;

/** Settings of a connection. */
public final class Settings {
    /** How long a call may take. */
    public Duration callLimit = Duration.ofSeconds(30);

    public long x = 5400000;

    public boolean isIdle(long since, long now) {
        return now - since > x;
    }
}
