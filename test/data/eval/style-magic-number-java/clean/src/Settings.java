import java.time.Duration;

/** Settings of a connection. */
public final class Settings {
    /** How long a call may take. */
    public Duration callLimit = Duration.ofSeconds(30);

    /** How long a connection may be idle. */
    public Duration idleLimit = Duration.ofMinutes(90);

    /** Both are milliseconds since the epoch. */
    public boolean isIdle(long since, long now) {
        return now - since > idleLimit.toMillis();
    }
}
