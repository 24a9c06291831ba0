// A host whose worlds are all in its own process.
import { openFront } from '../front.ts';
import { DirectoryWatch } from './directory.ts';
import { wakesFile } from './home.ts';
import type { HostParts, ServedHost } from './host.ts';
import { hostOrigins } from './origins.ts';
import { HostMetrics } from './process-metrics.ts';
import { openWorldsHere } from './worlds-here.ts';

export async function serveHere(
  { name, options, home, backed }: HostParts,
  opened: AsyncDisposableStack,
): Promise<ServedHost> {
  const { host, port, log } = options;
  const { directory, authority } = home;
  const front = await openFront({ name, host, port, authority, log }, opened);
  const baseUrl = options.baseUrl ?? front.baseUrl;
  const origins = hostOrigins({
    suffix: options.suffix ?? null,
    baseUrl: options.baseUrl ?? null,
    host,
    port: front.port,
  });
  const { worlds, branches } = await openWorldsHere(
    {
      directory,
      wakes: wakesFile(home.folder),
      authority,
      sites: front.sites,
      streams: front.streams,
      listens: { host, port: front.port },
      baseUrl,
      origins,
      trust: options.trust ?? [],
      budget: options.budget,
      limits: options.limits ?? {},
      metrics: new HostMetrics(),
      backed,
      log,
    },
    opened,
  );
  opened.defer(() => front.close());
  opened.defer(() => worlds.archives.close());
  opened.defer(() => {
    worlds.drain();
    branches.hush();
  });
  const watch: DirectoryWatch = opened.use(
    new DirectoryWatch(directory, log, async () => watch.follow((await worlds.look()).orgs)),
  );
  watch.follow((await worlds.look(options.looking)).orgs);
  return {
    worlds,
    sites: front.sites,
    origins,
    baseUrl,
    listensAt: front.baseUrl,
    begin: () => branches.lookAfter(),
  };
}
