// A world that grants the script of requests its origins, and the script run straight to them, beside it.
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { type AttachedWorld, attachedWorld } from './attached.ts';
import { requestScript } from './request-script.ts';
import { type ScriptOrigin, type Seen, startScriptOrigin } from './script-origin.ts';
import { createTestAuthority } from './test-ca.ts';

/** One that the world knows. */
const RUN = { name: 'script', secret: 'of the script' };
export const CREDENTIALS: string = `${RUN.name}:${RUN.secret}`;

export type Trial = {
  /** By step. */
  readonly client: { readonly [step: string]: unknown };
  /** By request. */
  readonly server: { readonly [what: string]: readonly Seen[] };
};

export type ScriptedWorld = AsyncDisposable & {
  readonly world: AttachedWorld;
  readonly origin: ScriptOrigin;
  readonly script: string;
  /** A bundle of the world's authority and the origins' own. */
  readonly trusted: string;
  /** `run` runs the script, and resolves with what it said. */
  trial(run: () => Promise<unknown>): Promise<Trial>;
  /** With no world. */
  straight(node: string): Promise<Trial>;
};

export async function scriptedWorld(): Promise<ScriptedWorld> {
  await using opened = new AsyncDisposableStack();
  const authority = await createTestAuthority();
  const origin = opened.use(await startScriptOrigin(authority));
  const { inspected, plain, whole, sockets } = origin.bases;
  const origins = [inspected, plain, whole];
  const world = opened.use(
    await attachedWorld(
      {
        // Passthrough is for such worlds alone.
        phase: 'build',
        network: { egress: origins, writes: origins, passthrough: [whole], ownLoopback: true },
        services: [{ name: 'sockets', host: 'sockets.test', port: Number(new URL(sockets).port) }],
        runs: [
          {
            name: RUN.name,
            secretHash: createHash('sha256').update(RUN.secret).digest('hex'),
            declaration: {},
          },
        ],
        extraHosts: Object.fromEntries(origin.hosts.map(host => [host, '127.0.0.1'])),
      },
      authority,
    ),
  );
  const trusted = join(world.folder, 'both.pem');
  writeFileSync(trusted, `${world.proxy.ca}${authority.pem}`);
  /** What gives the names an address where no world does. */
  const names = join(world.folder, 'names.cjs');
  writeFileSync(
    names,
    `const dns = require('node:dns'); const { lookup } = dns;
    dns.lookup = (host, options, done) => lookup(host.endsWith('.test') ? '127.0.0.1' : host, options, done);`,
  );
  const script = requestScript(origin);
  const trial: ScriptedWorld['trial'] = async run => {
    origin.begin();
    const client = (await run()) as Trial['client'];
    return { client, server: await origin.saw() };
  };
  const none = { HTTPS_PROXY: '', HTTP_PROXY: '', NODE_USE_ENV_PROXY: '' };
  const env = { ...none, NODE_EXTRA_CA_CERTS: trusted, NODE_OPTIONS: `--require "${names}"` };
  const kept = opened.move();
  return {
    ...{ world, origin, script, trusted, trial },
    straight: node => trial(async () => (await world.run(script, { node, env })).said),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/**
 * All that differs on the way through a world, besides the fields of one hop. An origin that hangs up without a word: the
 * client hears of it in words, as a 502, and a request that may be made twice is, where its connection had been used.
 */
const HUNG_UP = /\/hung-up$/;

/** What both sides saw, step by step and request by request. */
export function same(t: Test, through: Trial, straight: Trial): void {
  t.ok(Object.keys(straight.client).length > 200, 'all steps were made');
  t.ok(Object.keys(straight.server).length > 50, 'and reached the server');
  for (const [step, told] of Object.entries(straight.client)) {
    const answer = through.client[step];
    if (HUNG_UP.test(step) && !step.startsWith('whole')) t.match(answer, { status: 502 }, step);
    else t.strictSame(answer, told, step);
  }
  t.strictSame(Object.keys(through.server), Object.keys(straight.server));
  for (const [what, each] of Object.entries(straight.server)) {
    const seen = through.server[what];
    if (!HUNG_UP.test(what)) t.strictSame(seen, each, `server: ${what.slice(0, 80)}`);
    else t.strictSame(new Set(seen?.map(text)), new Set(each.map(text)), `server: ${what}, made again`);
  }
}

function text(seen: Seen): string {
  return JSON.stringify(seen);
}
