// [4.11] A deployment whose bucket does not answer: what lies in it is missing for as long, and nothing else is.
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { Plugin } from 'esbuild';
import t from 'tap';
import { bundleEdge } from '../../scripts/edge-bundle.ts';
import { awayBucket } from '../kit/away-bucket.ts';
import { within } from '../kit/deadline.ts';
import { edgeWorld, startEdge } from '../kit/edge-host.ts';
import { askHost, type HostAsk } from '../kit/many-worlds.ts';

/** What could not be removed is tried again after a second: nothing else here has that limit. */
const soon: Plugin = {
  name: 'soon',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\/edge\/limits\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replace(
        'REMOVAL_AGAIN_MS: number = 30',
        'REMOVAL_AGAIN_MS: number = 1',
      ),
      loader: 'ts',
    })),
};

t.test('[4.11] with the bucket away what needs it says so, and all else goes on', async t => {
  let away = false;
  await using edge = await startEdge({
    bundle: await bundleEdge({ minify: false, plugins: [soon] }),
    bucket: awayBucket(() => away),
  });
  const vendors = ['stripe', 'openai'];
  const shop = await edgeWorld(edge, 'acme/shop', { vendors });
  const other = await edgeWorld(edge, 'other/shop');
  const ask = (method: string, path: string, more: HostAsk = {}) => askHost(edge, method, path, more);
  const admin = (method: string, path: string, body?: object) =>
    ask(method, path, { token: edge.admin, ...(body && { body }) });
  const upload = (text: string) =>
    ask('POST', '/acme/shop/stripe/v1/files', { ...shop, ...multipart(text.repeat(1_500_000)) });
  const write = (name: string, { token }: { readonly token: string }) =>
    ask('POST', `/${name}/stripe/v1/customers`, { token });
  const bucket = await edge.miniflare.getR2Bucket('BUCKET', 'bucket');
  const kept = async (): Promise<number> => (await bucket.list()).objects.length;

  t.match(await upload('a'), { status: 200 });
  const file = await ask('POST', '/acme/shop/openai/v1/files', {
    ...shop,
    ...multipart('c'.repeat(1_500_000), 'assistants'),
  });
  t.equal(file.status, 200);
  const content = () => ask('GET', `/acme/shop/openai/v1/files/${file.json.id}/content`, shop);
  t.match(await content(), { status: 200 });
  t.ok((await kept()) > 1, 'they lie in the bucket');
  away = true;
  const checkpoint = await ask('GET', '/-/acme/shop/checkpoint/stripe', shop);
  t.match(checkpoint, { status: 503, json: { error: { code: 'blob-unreachable', message: /ask again/ } } });
  t.ok(checkpoint.headers['retry-after']);
  const missing = await content();
  t.match(missing, { status: 503, json: { error: { message: /ask again/ } } }, 'as the vendor says it');
  t.ok(missing.headers['retry-after']);
  t.match(await upload('b'), { status: 200 }, 'what is written lies in rows until then');
  t.match(await write('acme/shop', shop), { status: 200 });
  t.match(await write('other/shop', other), { status: 200 });
  t.match(await edgeWorld(edge, 'acme/made'), { token: /^tok_w_/ });

  const gone = await admin('DELETE', '/-/worlds/acme/shop');
  t.match(gone, { status: 503, json: { error: { code: 'not-gone-yet', message: /by itself/ } } });
  t.ok(gone.headers['retry-after']);
  t.match(await ask('GET', '/-/acme/shop/map', shop), { status: 404 }, 'it is no world any more');
  t.strictSame((await ask('GET', '/-/ping')).json, { worlds: ['acme/made', 'other/shop'] });
  const again = { org: 'acme', world: 'shop', vendors };
  t.match(await admin('POST', '/-/worlds', again), { status: 409 }, 'its name is not free yet');
  t.match(await write('other/shop', other), { status: 200 });

  away = false;
  const made = async (): Promise<number> => {
    for (;;) {
      const { status } = await admin('POST', '/-/worlds', again);
      if (status !== 409) return status;
      await pause(20);
    }
  };
  t.equal(await within('the inventory to end the removal', made()), 201);
  t.equal(await kept(), 0, 'nothing of it is left');
});

function multipart(text: string, purpose = 'dispute_evidence'): Pick<HostAsk, 'headers' | 'body'> {
  const part = (head: string, body: string): string =>
    `--cut\r\ncontent-disposition: form-data; ${head}\r\n\r\n${body}\r\n`;
  const file = 'name="file"; filename="a.pdf"\r\ncontent-type: application/pdf';
  return {
    headers: { 'content-type': 'multipart/form-data; boundary=cut' },
    body: `${part('name="purpose"', purpose)}${part(file, text)}--cut--\r\n`,
  };
}
