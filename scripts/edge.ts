// `npm run edge`: the worker of edge/ under workerd on this machine, or, with --build, the module that wrangler uploads.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { bundleEdge } from './edge-bundle.ts';
import { serveEdge } from './edge-server.ts';

const HELP = `npm run edge -- [--port N] [--dir D] [--origin-suffix S] [--json]
npm run edge -- --build D

Serves worlds as the edge does, under workerd on this machine's loopback (docs/edge.md).

  --port N            where it listens; 8787 unless given
  --dir D             what it keeps, the admin token among it; .wrld-edge unless given
  --origin-suffix S   gives each world an origin of its own (5.3-2); .localhost for this machine
  --json              one line of JSON in the place of text
  --build D           writes the worker to D/worker.js, and the WebAssembly beside it, as edge/wrangler.jsonc uploads
                      them, and serves nothing

ADMIN_TOKEN, SEALING_KEY, TRUSTED_ISSUERS and VAULT_… of the environment are the worker's.`;

const PASSED_ON = [
  'SEALING_KEY',
  'TRUSTED_ISSUERS',
  'VAULT_ADDR',
  'VAULT_TOKEN',
  'VAULT_TRANSIT_KEY',
  'VAULT_TRANSIT_MOUNT',
  'VAULT_FINGERPRINT_KEY',
  'VAULT_NAMESPACE',
];

const options = {
  port: { type: 'string', default: '8787' },
  dir: { type: 'string', default: '.wrld-edge' },
  'origin-suffix': { type: 'string' },
  build: { type: 'string' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

function fail(why: string): never {
  console.error(`${why}\n\n${HELP}`);
  process.exit(2);
}

function read() {
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    return fail((error as Error).message);
  }
}

/** The environment's, else the one that was made in the folder before, else one that is made there now. */
async function adminToken(folder: string): Promise<string> {
  const given = process.env['ADMIN_TOKEN'];
  if (given !== undefined && given !== '') return given;
  const file = join(folder, 'admin-token');
  const kept = (await readFile(file, 'utf8').catch(() => '')).trim();
  if (kept !== '') return kept;
  const made = `tok_a_${randomBytes(32).toString('base64url')}`;
  await writeFile(file, `${made}\n`, { mode: 0o600 });
  return made;
}

const asked = read();
if (asked.help) {
  console.log(HELP);
  process.exit(0);
}
if (asked.build !== undefined) {
  const { script, code, wasm } = await bundleEdge({ minify: true });
  await mkdir(asked.build, { recursive: true });
  await writeFile(join(asked.build, 'worker.js'), script);
  for (const [file, bytes] of wasm) await writeFile(join(asked.build, file), bytes);
  console.log(`${join(asked.build, 'worker.js')}: ${code}, ${script.length} bytes`);
  process.exit(0);
}
const port = Number(asked.port);
if (!/^\d{1,5}$/.test(asked.port) || port < 1 || port > 65_535) fail(`--port ${asked.port} is no port`);
const folder = resolve(asked.dir);
await mkdir(folder, { recursive: true, mode: 0o700 });
await chmod(folder, 0o700);
const token = await adminToken(folder);
const environment = Object.fromEntries(
  PASSED_ON.flatMap(name => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  }),
);
const suffix = asked['origin-suffix'];
const server = await serveEdge({
  bundle: await bundleEdge({ minify: false }),
  port,
  folder,
  logs: true,
  bindings: {
    ADMIN_TOKEN: token,
    ...environment,
    ...(suffix !== undefined && { WORLD_ORIGIN_SUFFIX: suffix }),
  },
}).catch((error: Error) => {
  console.error(`It could not be started: ${error.message.split('\n')[0]}`);
  process.exit(1);
});
if (asked.json) console.log(JSON.stringify({ baseUrl: server.baseUrl, adminToken: token, folder }));
else
  console.log(`worlds are served at  ${server.baseUrl}
admin token           ${token}
what is kept          ${folder}

make one:  curl -X POST ${server.baseUrl}/-/worlds -H 'x-wrld-token: ${token}' -d '{"org":"acme","world":"shop","vendors":["stripe"]}'`);
await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
await server[Symbol.asyncDispose]();
