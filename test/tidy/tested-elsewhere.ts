// Source files without a test of their own name, and where they are tested instead. A folder ends in `/`.

export const TESTED_ELSEWHERE: readonly {
  readonly files: readonly string[];
  /** Null: types or named limits only; the compiler is their test. */
  readonly by: string | null;
}[] = [
  {
    files: [
      'policy/ask.ts',
      'policy/decision.ts',
      'policy/run.ts',
      'proxy/plane.ts',
      'proxy/worker-messages.ts',
      'control/ports/',
      'control/world/entry.ts',
      'control/world/world.ts',
      'control/node/wall-clock.ts',
      'twins/kit/call.ts',
      'twins/kit/manifest.ts',
      'twins/kit/reply.ts',
      'twins/kit/twin.ts',
      'twins/kit/tx.ts',
    ],
    by: null,
  },
  { files: ['certs/bundle.ts'], by: 'test/certs/cache.test.ts' },
  { files: ['certs/certificate.ts', 'certs/der.ts'], by: 'test/certs/leaf.test.ts' },
  { files: ['policy/address.ts', 'policy/target.ts'], by: 'test/policy/authority.test.ts' },
  {
    files: ['policy/declaration.ts', 'policy/route-table.ts', 'policy/shape.ts'],
    by: 'test/policy/snapshot.test.ts',
  },
  { files: ['policy/grant-table.ts', 'policy/prefix-map.ts'], by: 'test/policy/grant.test.ts' },
  { files: ['policy/permit.ts'], by: 'test/policy/decide.test.ts' },
  { files: ['policy/rules.ts', 'policy/shown.ts'], by: 'test/policy/refusal.test.ts' },
  { files: ['proxy/account.ts'], by: 'test/proxy/journal.test.ts' },
  { files: ['proxy/worker.ts', 'proxy/start-server.ts'], by: 'test/proxy/workers.test.ts' },
  { files: ['proxy/metrics-text.ts'], by: 'test/proxy/metrics.test.ts' },
  { files: ['proxy/token-bucket.ts'], by: 'test/proxy/limits.test.ts' },
  {
    files: ['proxy/http1/connection-field.ts', 'proxy/http1/fields.ts'],
    by: 'test/proxy/http1/request.test.ts',
  },
  {
    files: [
      'proxy/forward.ts',
      'proxy/http1/answer.ts',
      'proxy/http1/exchange.ts',
      'proxy/http1/response.ts',
      'proxy/judge.ts',
      'proxy/refuse.ts',
    ],
    by: 'test/proxy/http1/client.test.ts',
  },
  { files: ['control/http/runs.ts'], by: 'test/control/node/runs.test.ts' },
  { files: ['proxy/http2/head.ts', 'proxy/http2/stream.ts'], by: 'test/proxy/http2/connection.test.ts' },
  { files: ['twins/kit/routes.ts'], by: 'test/twins/kit/form.test.ts' },
  {
    files: ['twins/kit/handlers.ts', 'twins/kit/handler-match.ts', 'twins/kit/scenario.ts'],
    by: 'test/twins/kit/mount.test.ts',
  },
  // A twin is judged by its vendor's own SDK, story by story, and not file by file.
  { files: ['twins/stripe/'], by: 'test/twins/stripe/twin.test.ts' },
  { files: ['proxy/upstream/handover.ts'], by: 'test/proxy/upstream/next-proxy.test.ts' },
  { files: ['proxy/relay.ts', 'proxy/deadlines.ts'], by: 'test/proxy/tunnel.test.ts' },
  {
    files: ['proxy/config.ts', 'proxy/server.ts', 'proxy/subscriber.ts', 'proxy/upstream/trust.ts'],
    by: 'test/proxy/main.test.ts',
  },
  {
    files: [
      'proxy/upstream/connection.ts',
      'proxy/upstream/dial.ts',
      'proxy/upstream/failure.ts',
      'proxy/upstream/pool.ts',
    ],
    by: 'test/proxy/upstream/upstream.test.ts',
  },
  {
    files: [
      'control/world/catch-up.ts',
      'control/world/due.ts',
      'control/world/duration.ts',
      'control/world/instant.ts',
    ],
    by: 'test/control/world/world-clock.test.ts',
  },
  {
    files: [
      'control/world/credential.ts',
      'control/world/secret.ts',
      'control/world/identifier.ts',
      'control/node/digest.ts',
      'control/node/entropy.ts',
    ],
    by: 'test/control/world/token.test.ts',
  },
  { files: ['control/world/schema.ts'], by: 'test/control/node/sqlite.test.ts' },
  {
    files: [
      'control/world/entry-log.ts',
      'control/world/ledger.ts',
      'control/world/transaction.ts',
      'control/world/records.ts',
      'control/world/record-types.ts',
      'control/world/record-order.ts',
      'control/world/memos.ts',
      'control/world/fault.ts',
    ],
    by: 'test/control/world/open-world.test.ts',
  },
  {
    files: [
      'control/http/answer.ts',
      'control/http/arrived.ts',
      'control/http/body.ts',
      'control/http/clock.ts',
      'control/http/log.ts',
      'control/http/map.ts',
      'control/http/page.ts',
      'control/http/reference.ts',
      'control/http/refusals.ts',
      'control/http/route.ts',
      'control/http/router.ts',
      'control/http/routes.ts',
      'control/http/surroundings.ts',
      'control/http/target.ts',
      'control/http/timeline.ts',
      'control/http/trace.ts',
      'control/http/twins.ts',
      'control/http/vendor.ts',
      'control/http/well-known.ts',
    ],
    by: 'test/control/http/site.test.ts',
  },
  {
    files: [
      'control/node/addresses.ts',
      'control/node/files.ts',
      'control/node/lock.ts',
      'control/node/log.ts',
      'control/node/token-file.ts',
    ],
    by: 'test/control/node/paths.test.ts',
  },
  {
    files: ['control/node/exchange.ts', 'control/node/twins-listener.ts'],
    by: 'test/control/node/listener.test.ts',
  },
  {
    files: ['control/node/config-file.ts', 'control/node/policy.ts'],
    by: 'test/control/node/live-config.test.ts',
  },
  {
    files: ['control/node/environment.ts', 'control/node/proxy-process.ts'],
    by: 'test/control/node/supervisor.test.ts',
  },
  {
    files: [
      'control/node/control-error.ts',
      'control/node/main.ts',
      'control/node/refusal-list.ts',
      'control/node/status-file.ts',
    ],
    by: 'test/control/node/control.test.ts',
  },
  {
    files: [
      'control/world/config-address.ts',
      'control/world/config-shape.ts',
      'control/world/config-text.ts',
      'control/world/nearest.ts',
      'control/world/world-name.ts',
    ],
    by: 'test/control/world/config.test.ts',
  },
  {
    files: ['attach/agents.cjs', 'attach/fetch.cjs', 'attach/settings.cjs', 'attach/tunnel.cjs'],
    by: 'test/attach/register.test.ts',
  },
  { files: ['cli/help.ts', 'cli/output.ts'], by: 'test/cli/command.test.ts' },
  {
    files: ['cli/demo-clients.ts', 'cli/demo-shop.ts', 'cli/demo-stage.ts', 'cli/demo-world.ts'],
    by: 'test/cli/demo.test.ts',
  },
  {
    files: [
      'cli/attach-world.ts',
      'cli/child.ts',
      'cli/host-world.ts',
      'cli/main.ts',
      'cli/up-file.ts',
      'cli/world-client.ts',
      'cli/world-folder.ts',
      'cli/world-init.ts',
      'cli/world-run.ts',
      'cli/world-status.ts',
      'cli/world-up.ts',
      'cli/wrld.js',
    ],
    by: 'test/cli/world.test.ts',
  },
];
