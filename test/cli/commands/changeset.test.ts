// `wrld world changeset …` as real processes, against a world that is served with a vendor of notes behind it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import t from 'tap';
import { COMMAND_MS_MAX, cleanEnv, type Ended, wrldWords } from '../../kit/command-line.ts';
import { JSON_TYPE, noteTwinWith, verify } from '../../kit/deploy-world.ts';
import { openGatedSite } from '../../kit/gated-site.ts';
import { noteVendor, rootWith } from '../../kit/note-vendor.ts';

const vendor = noteVendor();
const gated = await openGatedSite({
  twins: { note: noteTwinWith('once') },
  vendors: { asks: vendor.asks, root: () => rootWith('manual') },
});
t.teardown(() => gated[Symbol.asyncDispose]());
const { notes, token } = gated.site;

async function changeset(...words: readonly string[]): Promise<Ended> {
  const child = spawn(process.execPath, wrldWords('world', 'changeset', ...words).slice(1), {
    cwd: tmpdir(),
    env: {
      ...cleanEnv(),
      WRLD_WORLD: `http://127.0.0.1:${gated.listener.port}/acme/notes`,
      WRLD_WORLD_TOKEN: token,
    },
    timeout: COMMAND_MS_MAX,
  });
  let [out, err] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', text => (out += text));
  child.stderr.setEncoding('utf8').on('data', text => (err += text));
  const [code] = await once(child, 'close');
  return { code: code as number, out, err };
}

t.test('[2.6] cut, read, approved and deployed', async t => {
  const { id } = (await notes.ask('POST', '/notes', { name: 'Gold', price: { amount: 1 } }, JSON_TYPE)).body;
  await notes.ask('PUT', '/notes/free', { name: 'Old' }, JSON_TYPE);
  t.match(await changeset('cut', 'Gold plan', '--name', 'gold'), {
    code: 0,
    out: /^gold .*by token\n {2}Gold plan\n2 entries, [0-9a-f]{64}\nnot ready: not-verified\n$/,
  });
  await notes.ask('PUT', '/notes/free', { of: id, refuse: true }, JSON_TYPE);
  await notes.ask('DELETE', '/notes/free');
  t.equal((await changeset('cut', 'Less', '--name', 'less')).code, 0);
  await t.test('diff shows records and fields', async t => {
    t.match(await changeset('diff', 'gold'), {
      code: 0,
      out: `+ note note ${id}  “Gold”\n    id: "${id}"\n    name: "Gold"\n    price.amount: 1\n+ note note free  “Old”\n    id: "free"\n    name: "Old"\n`,
    });
    t.match(JSON.parse((await changeset('diff', 'gold', '--json')).out), {
      changeset: 'gold',
      actions: [{ actionId: 'a1' }, { actionId: 'a2' }],
    });
    t.match(await changeset('diff', 'none'), { code: 1, err: /There is no changeset none/ });
  });
  t.match(await changeset('approve', 'gold', '--as', 'bob'), { code: 0, out: /approved by bob/ });
  await t.test('deploy asks first, and tells each receipt with its link', async t => {
    t.match(await changeset('deploy', 'gold'), { code: 2, err: /say --yes/ });
    t.match(await changeset('deploy', 'gold', '--yes'), {
      code: 1,
      err: /may not be deployed: not-verified/,
    });
    t.strictSame(vendor.asked, []);
    for (const name of ['gold', 'less']) verify(notes, name);
    t.match(await changeset('deploy', 'gold', '--yes'), {
      code: 0,
      err: '',
      out: 'a1  note  deployed  note_real00000001  https://notes.test/note_real00000001\na2  note  deployed  free  https://notes.test/free\n',
    });
    t.match(await changeset('deploy', 'less', '--yes'), {
      code: 1,
      out: /a1 {2}note {2}refused {2}not so\na2 {2}note {2}deployed/,
    });
    t.match(JSON.parse((await changeset('deploy', 'gold', '--yes', '--json')).out), {
      changesets: [{ name: 'gold', stopped: null, deployed: [{ status: 'deployed' }, {}] }],
    });
  });
  t.match(await changeset('show', 'gold'), {
    code: 0,
    out: /\na1 {2}note {2}POST \/notes\n {4}deployed {2}note_real00000001 {2}https:\/\/notes\.test\/note_real00000001\na2 {2}note {2}PUT \/notes\/free\n/,
  });
  t.match(await changeset('verify'), { code: 2 });
});

t.test('[4.5] rules are shown, and set one by one', async t => {
  t.match(await changeset('rules'), {
    code: 0,
    out: /^approvals {2}none is needed\nsummary {4}as its author/,
  });
  t.match(await changeset('rules', '--approvals', '2'), { code: 0, out: /^approvals {2}2 persons\n/ });
  t.match(await changeset('rules', '--summary', 'on'), {
    code: 0,
    out: /^approvals {2}2 persons\nsummary {4}made of what was done\n$/,
  });
  t.match(JSON.parse((await changeset('rules', '--json')).out), {
    changesets: { approvals: 2, summary: true },
  });
  for (const [flag, value, why] of [
    ['--approvals', 'two', /a count of persons/],
    ['--summary', 'maybe', /on or off/],
  ] as const)
    t.match(await changeset('rules', flag, value), { code: 2, err: why });
  t.match(await changeset('rules', '--approvals', '5000'), { code: 1, err: /`approvals` is a whole number/ });
  t.match(await changeset('rules', '--approvals', '0', '--summary', 'off'), {
    code: 0,
    out: /none is needed/,
  });
});
