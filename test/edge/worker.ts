// The worker of test/edge/*.test.ts: each request names a case, which runs in a Durable Object of its own, with the
// object's store and a bucket. It answers with null, or with what is wrong.
import { DurableObject } from 'cloudflare:workers';
import { openBlobs } from '../../edge/blobs.ts';
import { openSql } from '../../edge/sql.ts';
import { STORE_CONTRACT, type Store } from '../contract/store.ts';
import { expect } from '../contract/suite.ts';
import { WORLD_CASES } from './world.ts';

type Env = { readonly CASES: DurableObjectNamespace<Cases>; readonly BUCKET: R2Bucket };

export class Cases extends DurableObject<Env> {
  async run(name: string): Promise<string | null> {
    const found = [...STORE_CONTRACT, ...WORLD_CASES].find(each => each.name === name);
    if (found === undefined) return 'there is no such case';
    const sql = openSql(this.ctx.storage);
    const store: Store = { sql, durability: sql, blobs: openBlobs(this.env.BUCKET, `${this.ctx.id}/`) };
    try {
      await found.run(store, expect);
      return null;
    } catch (error) {
      return error instanceof Error ? `${error.message}\n${error.stack}` : String(error);
    }
  }
}

// biome-ignore lint/style/noDefaultExport: that is what a worker is
export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const name = new URL(request.url).searchParams.get('case') ?? '';
    return Response.json(await env.CASES.get(env.CASES.newUniqueId()).run(name));
  },
};
