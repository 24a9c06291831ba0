// `wrld world attach`, and `wrld-world attach`: a command in a world that is served anywhere (4.2). What the world's
// manifest names is set: its proxy where it has one, else one that is started here; and for each TCP twin a listener
// here.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import type { Manifest as TwinManifest } from '../../twins/kit/manifest.ts';
import { runChild } from '../child.ts';
import type { Command } from '../command.ts';
import type { Environment } from '../environment.ts';
import { listenForStreams, type StreamsOfWorld } from '../stream-listener.ts';
import { type WorldClient, worldClient } from '../world-client.ts';
import { worldEnvironment } from '../world-environment.ts';

export const worldAttach: Command = {
  words: ['world', 'attach'],
  summary: 'run a command in a world that is served somewhere',
  usage: '<world URL> [--token <token>] (--hold | -- <command> [<argument>…])',
  flags: {
    token: {
      type: 'value',
      value: '<token>',
      does: 'the world’s token, or a key; WRLD_WORLD_TOKEN unless given, which no list of processes shows',
    },
    hold: {
      type: 'switch',
      does: 'instead of a command: print the variables to set as one JSON line { env }, and stay until the input ends',
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
    'The proxy is the world’s where its manifest names one, else one that runs here with the command: the vendors’ hosts are answered by the world’s twins, and what no twin has is refused, but for what NO_PROXY lists. For each TCP twin (smtp) it listens on this machine’s loopback and sets the variables that the twin’s clients read.',
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
    const hold = given.switches.has('hold');
    if (hold && command.length > 0) return wrong('--hold takes no command');
    if (command.length === 0 && !hold) return wrong('no command; put it after --: … -- node app.mjs');
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
    const reach = { baseUrl: url.origin, worldUrl: `${url.origin}${place}`, token };
    const streams = opened.use(await listenForStreams(manifest.streams ?? {}, { ...reach, tell: say }));
    const set = await variables({ manifest, client, place, reach, folder, env }, opened);
    if (!set.ok) {
      say(set.why);
      return 1;
    }
    if (hold) {
      output.json({ env: { ...set.env, ...streams.set } });
      await inputEnds();
      return 0;
    }
    const ended = await runChild(command, { ...env, ...set.env, ...streams.set });
    if (ended.problem !== null) say(ended.problem);
    return ended.code;
  },
};

/** Whoever holds the other end may say what it likes: it is its end that counts. */
async function inputEnds(): Promise<void> {
  const { stdin } = process;
  stdin.resume();
  await finished(stdin, { writable: false }).catch(() => {});
}

/** What is used of the world's manifest (2.4). */
type Manifest = {
  readonly vendors: Environment;
  readonly ca: string;
  readonly proxy: string | null;
  readonly env: Environment;
  readonly streams?: StreamsOfWorld;
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

/** A world without a proxy that is reached from here gets one here, for as long as the command runs. */
async function variables(asked: Asked, opened: AsyncDisposableStack): Promise<Variables> {
  const { manifest, client, place, reach, folder, env } = asked;
  if (manifest.proxy !== null) {
    const caFile = join(folder, 'ca.crt');
    await writeFile(caFile, manifest.ca);
    const attached = await worldEnvironment(
      { run: folder },
      { ...reach, proxyUrl: manifest.proxy, caFile },
      env,
    );
    return attached.ok ? { ok: true, env: attached.set } : attached;
  }
  const twins: { id: string; manifest: TwinManifest }[] = [];
  for (const id of Object.keys(manifest.vendors)) {
    const twin = await client.get(`${place}/${id}/twin`);
    if (!twin.ok) return { ok: false, why: `the world does not answer: ${twin.why}` };
    twins.push({ id, manifest: twin.body as TwinManifest });
  }
  const { openFarWorld } = await import('../../control/node/far-world.ts');
  const { openLog } = await import('../../control/node/log.ts');
  const { token } = reach;
  const origin = new URL(reach.worldUrl).origin;
  const name = place.slice(1);
  const log = openLog('silent');
  const far = await openFarWorld({ folder, origin, name, token, ca: manifest.ca, twins, log }).catch(
    (error: Error) => error,
  );
  if (far instanceof Error) return { ok: false, why: far.message };
  opened.use(far);
  // The world itself is asked directly, as what the user reaches directly is.
  const direct = [env['NO_PROXY'] ?? env['no_proxy'] ?? '', new URL(origin).hostname]
    .filter(Boolean)
    .join(',');
  const around = { ...env, NO_PROXY: direct, no_proxy: direct };
  const attached = await worldEnvironment({ run: folder }, { ...reach, ...far }, around);
  return attached.ok ? { ok: true, env: attached.set } : attached;
}
