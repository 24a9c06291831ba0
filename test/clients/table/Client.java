// What Java's HttpClient sees of a world: see client.sh.
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;

class Client {
  static void say(String check, boolean saw) {
    System.out.println("java\t" + check + "\t" + (saw ? "yes" : "no"));
  }

  static String ask(HttpClient client, String url, Path body, int seconds) {
    try {
      var request = HttpRequest.newBuilder(URI.create(url)).timeout(Duration.ofSeconds(seconds))
          .header("Authorization", "Bearer sk_test_x").header("Content-Type", "application/octet-stream");
      if (body != null) request.POST(BodyPublishers.ofFile(body));
      return client.send(request.build(), BodyHandlers.ofString()).body();
    } catch (Exception error) {
      return error.toString();
    }
  }

  public static void main(String[] args) {
    var env = System.getenv();
    var usual = HttpClient.newHttpClient();
    var granted = env.get("GRANTED");
    say("twin", ask(usual, env.get("TWIN"), null, 20).contains("/v1/customers"));
    say("refusal", ask(usual, env.get("REFUSED"), null, 20).contains("not-granted"));
    say("grant", ask(usual, granted + "/hello", null, 20).contains("granted hello"));
    say("up", ask(usual, granted + "/up", Path.of(env.get("BIG")), 20).contains("took 52428800"));
    say("events", ask(usual, granted + "/events", null, 20).contains("event 3"));
    say("trust", ask(usual, env.get("UNTRUSTED") + "/", null, 20).contains("SSL"));
    say("loopback", ask(usual, env.get("LOOPBACK") + "/", null, 20).contains("outside"));
    ask(HttpClient.newBuilder().proxy(HttpClient.Builder.NO_PROXY).build(), "http://java" + env.get("SLIP") + "/", null, 3);
    System.exit(0);
  }
}
