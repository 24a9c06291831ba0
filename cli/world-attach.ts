// `wrld world attach`, and `wrld-world attach`: a command in a world that is served anywhere (4.2). What the world's
// manifest names is set: its proxy where there is one, else the endpoint variables of its twins; and for each TCP twin
// a listener here.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { attachWorld } from './attach-world.ts';
import { runChild } from './child.ts';
import type { Command } from './command.ts';
import type { Environment } from './environment.ts';
import { listenForStream, streamVariables } from './stream-listener.ts';
import { type WorldClient, worldClient } from './world-client.ts';

export const worldAttach: Command = {
  words: ['world', 'attach'],
  summary: 'run a command in a world that is served somewhere',
  usage: '<world URL> [--token <token>] -- <command> [<argument>…]',
  flags: {
    token: {
      type: 'value',
      value: '<token>',
      does: 'the world’s token, or a key; WRLD_WORLD_TOKEN unless given, which no list of processes shows',
    },
  },
  operandsMax: 1,
  takesCommand: true,
  examples: [
    [
      'wrld-world attach https://worlds.example.com/acme/shop --token tok_w_… -- node app.mjs',
      'the same command under its own name',
    ],
  ],
  notes: [
    'Sets the proxy of the world where its manifest names one, else the variables that point clients at its twins. For each TCP twin (smtp) it listens on this machine’s loopback and sets the variables that the twin’s clients read.',
    "The exit code is the command's own.",
  ],
  run: async (given, { output, env }) => {
    const say = (why: string): void => output.error(`wrld world attach: ${why}`);
    const wrong = (why: string): number => {
      say(why);
      return 2;
    };
    const command = given.rest ?? [];
    const url = URL.parse(given.operands[0] ?? '');
    const token = given.values.get('token') ?? env['WRLD_WORLD_TOKEN'] ?? '';
    if (
      url === null ||
      !/^https?:$/.test(url.protocol) ||
      !/^\/[a-z0-9-]+\/[a-z0-9-]+\/?$/.test(url.pathname)
    )
      return wrong('no world’s URL: https://<host>/<org>/<world>');
    if (token === '') return wrong('no token: --token <token>, or WRLD_WORLD_TOKEN');
    if (command.length === 0) return wrong('no command; put it after --: … -- node app.mjs');
    const place = url.pathname.replace(/\/$/, '');
    const client = worldClient(url.origin, token);
    const answered = await client.get(`${place}/.well-known/wrld-world`);
    if (!answered.ok || answered.status !== 200) {
      say(`the world does not answer: ${answered.ok ? `status ${answered.status}` : answered.why}`);
      return 1;
    }
    const manifest = answered.body as Manifest;
    await using opened = new AsyncDisposableStack();
    const folder = await mkdtemp(join(tmpdir(), 'wrld-attach-'));
    opened.defer(() => rm(folder, { recursive: true, force: true }));
    const streams: { [name: string]: string } = {};
    for (const { url: stream, env: names } of Object.values(manifest.streams ?? {})) {
      // Asked for where the world was found: its own idea of its address may be another.
      const at = new URL(new URL(stream).pathname, url);
      at.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
      const listener = opened.use(await listenForStream({ url: at.href, token, tell: say }));
      Object.assign(streams, streamVariables(names, listener.at));
    }
    const reach = { baseUrl: url.origin, worldUrl: `${url.origin}${place}`, token };
    const set = await variables({ manifest, client, place, reach, folder, env });
    if (!set.ok) {
      say(set.why);
      return 1;
    }
    const ended = await runChild(command, { ...env, ...set.env, ...streams });
    if (ended.problem !== null) say(ended.problem);
    return ended.code;
  },
};

/** What is used of the world's manifest (2.4). */
type Manifest = {
  readonly vendors: Environment;
  readonly ca: string;
  readonly proxy: string | null;
  readonly env: Environment;
  readonly streams?: { readonly [vendor: string]: { readonly url: string; readonly env: readonly string[] } };
};

type Asked = {
  readonly manifest: Manifest;
  readonly client: WorldClient;
  readonly place: string;
  readonly reach: { readonly baseUrl: string; readonly worldUrl: string; readonly token: string };
  readonly folder: string;
  readonly env: { readonly [name: string]: string | undefined };
};

type Variables =
  | { readonly ok: true; readonly env: Environment }
  | { readonly ok: false; readonly why: string };

async function variables({ manifest, client, place, reach, folder, env }: Asked): Promise<Variables> {
  const { proxy } = manifest;
  if (proxy !== null) {
    const caFile = join(folder, 'ca.crt');
    await writeFile(caFile, manifest.ca);
    const attached = await attachWorld({ run: folder }, { ...reach, proxyUrl: proxy, caFile }, env);
    return attached.ok ? { ok: true, env: attached.set } : attached;
  }
  const set: { [name: string]: string } = { ...manifest.env };
  for (const [vendor, url] of Object.entries(manifest.vendors)) {
    const twin = await client.get(`${place}/${vendor}/twin`);
    if (!twin.ok) return { ok: false, why: `the world does not answer: ${twin.why}` };
    const { endpointEnv } = twin.body as { readonly endpointEnv?: Environment };
    for (const [name, suffix] of Object.entries(endpointEnv ?? {})) set[name] = `${url}${suffix}`;
  }
  return { ok: true, env: { ...set, WRLD_WORLD: reach.worldUrl, WRLD_WORLD_TOKEN: reach.token } };
}
