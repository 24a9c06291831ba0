// Bytes from outside are read by policy/json-text.ts, which bounds their depth. `JSON.parse` stands where the text is
// our own, and here is whose it is.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { root, sourceFiles } from './tree.ts';

const GENERATED = 'generated, and committed';
const OWN_FILE = 'a file that this program wrote or ships';

const OURS: { readonly [file: string]: string } = {
  'attach/served-world-worker.cjs': 'what the command line beside it says',
  'attach/settings.cjs': 'the world’s own file, in the user’s own process',
  'attach/refusal.cjs': 'the proxy’s record in a header, in the user’s own process',
  'authoring/twin-test.ts': 'the answer of a test’s own world',
  'cli/commands/status.ts': OWN_FILE,
  'cli/demo/clients.ts': 'what the demo’s own programs print',
  'cli/demo/stripe-api.ts': 'the answer of the demo’s own world',
  'cli/demo/typist.ts': 'what the demo’s own programs print',
  'cli/version.ts': OWN_FILE,
  'cli/world-client.ts': 'the world’s answer, at the user’s own terminal',
  'console/tab/start.js': 'what the page that starts the worker says to it',
  'console/host/rows.js': 'the host’s answer, in its own page',
  'console/shared/asking.js': 'the answer of what serves the page, in the page',
  'console/world/bodies.js': 'a body of a request, in the page, which shows it',
  'console/world/frames.js': 'what the page itself kept',
  'console/world/entry.js':
    'a request of the world’s log, in its own page, where what is too deep is shown as it came',
  'console/world/conversations.js':
    'what a model was told, in the world’s own page, where what is too deep is shown as it came',
  'console/world/json-lines.js': 'a name in what its reader typed, in the world’s own page',
  'console/world/scenario.js': 'what its reader typed, in the world’s own page; the world reads it again',
  'control/node/branch-note.ts': OWN_FILE,
  'control/node/host/backup-schedule.ts': OWN_FILE,
  'control/node/marks.ts': OWN_FILE,
  'control/node/backup-files.ts': OWN_FILE,
  'control/node/smtp-wire.ts': 'the same file wrote it',
  'control/node/supervisor.ts': OWN_FILE,
  'control/node/twins.ts': OWN_FILE,
  'control/node/up.ts': OWN_FILE,
  'control/node/host/shards/sharded-worlds.ts': 'a row that a shard of its own wrote',
  'control/world/checks/check-run.ts': 'what our own driver asks, and nobody else can',
  'control/world/origin/branches-on.ts':
    'its own rows: what the origin says comes in by asking.ts, which bounds it',
  'control/world/origin/moving.ts':
    'its own rows: what the origin says comes in by asking.ts, which bounds it',
  'control/world/origin/origin.ts':
    'its own rows: what the origin says comes in by asking.ts, which bounds it',
  'control/world/origin/shared-history.ts':
    'its own rows: what the origin says comes in by asking.ts, which bounds it',
  'control/world/config/text.ts': 'held to a depth of its own, which the parser before it needs',
  'policy/json-text.ts': 'the reader itself',
  'policy/push.ts': 'a message between the two processes of one world',
  'twins/stripe/api/vendor.ts': GENERATED,
  'twins/stripe/generic/operations.ts': GENERATED,
  'twins/stripe/generic/plan.ts': GENERATED,
  'edge/hibernating-sockets.ts': 'the same file wrote it, of what was read with that bound when it came',
  'edge/inventory-store.ts': 'its own row',
  'edge/object-worlds.ts': 'the inventory’s own row',
};

/** Rooms where all JSON that is parsed bare was written by the world itself. */
const OUR_ROOMS = /^control\/world\/(?:store|log|past|work|requests|changesets|report|story|roots|origin)\//;

t.test('JSON from outside is read with a bound on its depth', t => {
  for (const file of sourceFiles()) {
    if (OUR_ROOMS.test(file) || Object.hasOwn(OURS, file)) continue;
    const text = readFileSync(join(root, file), 'utf8');
    t.notMatch(text, /JSON\.parse\b|\bresponse\.json\(\)/, `${file}: parseJson of policy/json-text.ts`);
  }
  t.end();
});
