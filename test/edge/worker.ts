// The worker of test/edge/*.test.ts: each request names a case, which runs in a Durable Object of its own, with the
// object's store and a bucket. It answers with null, or with what is wrong.
import { DurableObject } from 'cloudflare:workers';
import { ObjectAlarms } from '../../edge/alarms.ts';
import { openBlobs } from '../../edge/blobs.ts';
import { engineSandbox } from '../../edge/sandbox.ts';
import { openSql } from '../../edge/sql.ts';
import { ALARMS_CONTRACT } from '../contract/alarms.ts';
import { ISOLATE_CONTRACT, type IsolateHost } from '../contract/isolate.ts';
import { openModule, SANDBOX_CONTRACT, type SandboxHost } from '../contract/sandbox.ts';
import { STORE_CONTRACT, type Store } from '../contract/store.ts';
import { type Case, expect } from '../contract/suite.ts';
import { asIsolate } from '../kit/sandbox-isolate.ts';
import { SOCKET_CASES } from './sockets-kept.ts';
import { WORLD_CASES } from './world.ts';

type Env = { readonly CASES: DurableObjectNamespace<Cases>; readonly BUCKET: R2Bucket };

const CURIOUS: Case<SandboxHost> = {
  name: 'a module that asks without end is ended',
  run: async (host, is) => {
    await using module = await openModule(
      host,
      'export const f = (text, ask) => { for (let n = 0; ; n++) ask(String(n)); };',
    );
    const ended = [{ ok: false, why: 'time', message: 'over 500 questions in one call' }];
    is.same(await module.run(['a', 'b']), ended);
    is.same(await module.run(['c']), ended);
  },
};

const RUNS: readonly Case<IsolateHost & SandboxHost>[] = [...ISOLATE_CONTRACT, ...SANDBOX_CONTRACT, CURIOUS];

export class Cases extends DurableObject<Env> {
  #alarms: ObjectAlarms | null = null;

  async run(name: string): Promise<string | null> {
    const alarm = ALARMS_CONTRACT.find(each => each.name === name);
    if (alarm !== undefined) return this.#alarm(alarm);
    const run = RUNS.find(each => each.name === name);
    if (run !== undefined)
      return outcomeOf(() => run.run({ isolate: asIsolate(engineSandbox), sandbox: engineSandbox }, expect));
    const socket = SOCKET_CASES.find(each => each.name === name);
    if (socket !== undefined) return outcomeOf(() => socket.run(this.ctx, expect));
    const found = [...STORE_CONTRACT, ...WORLD_CASES].find(each => each.name === name);
    if (found === undefined) return 'there is no such case';
    const sql = openSql(this.ctx.storage);
    const store: Store = { sql, durability: sql, blobs: openBlobs(this.env.BUCKET, `${this.ctx.id}/`) };
    return outcomeOf(() => found.run(store, expect));
  }

  #alarm(found: (typeof ALARMS_CONTRACT)[number]): Promise<string | null> {
    const wall = { now: () => Date.now() };
    const failed = (error: unknown): never => {
      throw error;
    };
    const alarms = new ObjectAlarms({ storage: this.ctx.storage, wall, failed });
    this.#alarms = alarms;
    return outcomeOf(() => found.run({ alarms, now: wall.now }, expect));
  }

  override async alarm(): Promise<void> {
    this.#alarms?.fired();
  }
}

async function outcomeOf(run: () => void | Promise<void>): Promise<string | null> {
  try {
    await run();
    return null;
  } catch (error) {
    return error instanceof Error ? `${error.message}\n${error.stack}` : String(error);
  }
}

// biome-ignore lint/style/noDefaultExport: that is what a worker is
export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const name = new URL(request.url).searchParams.get('case') ?? '';
    return Response.json(await env.CASES.get(env.CASES.newUniqueId()).run(name));
  },
};
