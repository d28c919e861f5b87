import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.neo4j.configuration.connectors.ConnectorPortRegister;
import org.neo4j.configuration.connectors.ConnectorType;
import org.neo4j.dbms.api.DatabaseManagementService;
import org.neo4j.dbms.api.DatabaseManagementServiceBuilder;
import org.neo4j.graphdb.GraphDatabaseService;
import org.neo4j.kernel.internal.GraphDatabaseAPI;

/**
 * A Neo4j database that listens for Bolt on loopback: GraphTestServer HOME [setting=value]...
 * Prints one JSON line once it is ready, and ends when standard input does, so that it cannot outlive its test run.
 */
public final class GraphTestServer {
  public static void main(String[] arguments) {
    try {
      start(arguments);
    } catch (Throwable fault) {
      // The database's own threads would keep a broken start alive.
      fault.printStackTrace();
      System.exit(1);
    }
  }

  private static void start(String[] arguments) throws Exception {
    Path home = Path.of(arguments[0]).toAbsolutePath();
    List<String> settings = new ArrayList<>();
    for (int i = 1; i < arguments.length; i++) settings.add(arguments[i]);
    Files.createDirectories(home);
    Path file = Files.write(home.resolve("neo4j.conf"), settings);

    DatabaseManagementService server =
        new DatabaseManagementServiceBuilder(home).loadPropertiesFromFile(file).build();
    Runtime.getRuntime().addShutdownHook(new Thread(server::shutdown));

    String password = System.getenv("GRAPH_TEST_PASSWORD");
    if (password != null) {
      // Cold and slow: the server's own transaction timeout must not end it. CREATE OR REPLACE, since ALTER refuses the
      // password that a restarted server has already.
      server
          .database("system")
          .executeTransactionally(
              "CREATE OR REPLACE USER neo4j SET PASSWORD $password CHANGE NOT REQUIRED",
              Map.of("password", password),
              result -> null,
              Duration.ofMinutes(2));
    }
    GraphDatabaseService database = server.database("neo4j");
    database.executeTransactionally("RETURN 1", Map.of(), result -> null, Duration.ofMinutes(2));

    int port =
        ((GraphDatabaseAPI) database)
            .getDependencyResolver()
            .resolveDependency(ConnectorPortRegister.class)
            .getLocalAddress(ConnectorType.BOLT)
            .getPort();
    System.out.println("{\"ready\":true,\"port\":" + port + "}");
    while (System.in.read() >= 0) {
      // Only the end of the input counts.
    }
    System.exit(0);
  }
}
