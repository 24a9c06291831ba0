import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { loadShipped, SHIPPED_TWINS, shippedProtocol } from '../../../control/node/shipped-twins.ts';
import { openTwins } from '../../../control/node/twins.ts';
import type { TwinConfig } from '../../../control/world/config/config.ts';

const folder = await realpath(await mkdtemp(join(tmpdir(), 'wrld-')));
t.teardown(() => rm(folder, { recursive: true }));
const warned: string[] = [];
const say = (_fields: object, message: string): void => void warned.push(message);
const log = { debug: say, info: say, warn: say, error: say };
const open = (twin: string, scenarioPath: string | null = null) => {
  const config: TwinConfig = { vendor: 'it', twin, scenarioPath };
  return openTwins(folder, [config], log);
};

const NOTE_TWIN = join(import.meta.dirname, '..', '..', 'kit', 'note-twin.ts');
const MODULE = `import { noteTwin } from ${JSON.stringify(NOTE_TWIN)};\nexport const { twin } = noteTwin();\n`;

t.test('the protocol of a twin that ships is known without loading it, and is its manifest’s', async t => {
  for (const name of SHIPPED_TWINS)
    t.equal(shippedProtocol(name), (await loadShipped(name))?.manifest.protocol, name);
  t.equal(shippedProtocol('toString'), null);
});

t.test('[2.7 identity] a twin that ships, a module, a package', async t => {
  t.match(await open('stripe'), {
    ok: true,
    twins: [
      {
        id: 'it',
        package: { name: 'wrld', version: /^\d/ },
        twin: { twin: { manifest: { vendor: 'stripe' } } },
      },
    ],
  });
  await writeFile(join(folder, 'note.mjs'), MODULE);
  t.match(await open('./note.mjs'), { ok: true, twins: [{ id: 'it', package: null }] });
  const installed = join(folder, 'node_modules', '@acme', 'twin-note');
  await mkdir(installed, { recursive: true });
  await writeFile(join(installed, 'index.mjs'), MODULE);
  await writeFile(
    join(installed, 'package.json'),
    '{"name":"@acme/twin-note","version":"2.1.0","exports":{".":"./index.mjs","./package.json":"./package.json"}}',
  );
  t.match(await open('@acme/twin-note'), {
    ok: true,
    twins: [{ package: { name: '@acme/twin-note', version: '2.1.0' } }],
  });
});

t.test('a twin that cannot be used is told with its service', async t => {
  await writeFile(join(folder, 'empty.mjs'), 'export const other = 1;\n');
  await writeFile(join(folder, 'broken.mjs'), 'export const twin = ;\n');
  for (const [twin, why] of [
    ['nobody', /^services\.it\.twin: no twin “nobody” ships with wrld/],
    ['constructor', /no twin “constructor” ships/],
    ['./missing.mjs', /\.\/missing\.mjs cannot be loaded/],
    ['./empty.mjs', /\.\/empty\.mjs is no twin yet:\n {2}twin is not exported/],
    ['./broken.mjs', /cannot be loaded/],
  ] as const)
    t.match(await open(twin), { ok: false, why }, twin);
});

t.test('its handlers file', async t => {
  const handlers = {
    version: 1,
    handlers: [{ id: 'down', match: { path: '/v1/balance' }, reply: { status: 503 } }],
  };
  await writeFile(join(folder, 'good.json'), JSON.stringify(handlers));
  t.match(await open('stripe', 'good.json'), { ok: true });
  await writeFile(join(folder, 'bad.json'), '{"version":1,"handlers":[{"id":"x","match":{},"rely":{}}]}');
  t.match(await open('stripe', 'bad.json'), { ok: false, why: /bad\.json\/handlers\/0/ });
  t.match(await open('stripe', 'gone.json'), { ok: true });
  t.match(warned.at(-1), 'gone.json is not there', 'one that is not there yet is no fault');
});
