// Checks and what they find (4.7): refused, run over each entry with the state as of it, bounded, kept with the changeset.
import t from 'tap';
import type { Checks } from '../../../../control/world/checks/checks.ts';
import { branchOff } from '../../../kit/branch-world.ts';
import { type NoteWorld, openNoteWorld } from '../../../kit/note-world.ts';

const PRICES = `export const check = {
  name: 'prices',
  run(entry, tree) {
    for (const { type, id, after } of entry.changes)
      if (type === 'note' && after?.price > 100) return { ok: false, message: \`\${id} costs \${after.price}\` };
  },
};`;

const check = (body: string): string => `export default { name: 'c', run(entry, tree) { ${body} } };`;

const set = async (checks: Checks, name: string, source: string): Promise<void> => {
  const result = await checks.set(name, source);
  if (!result.ok) throw new Error(result.message);
};

const cut = async ({ world }: NoteWorld, name: string): Promise<void> => {
  const result = await world.changesets.cut({ message: name, name, by: 'token', owner: null });
  if (!result.ok) throw new Error(result.message);
};

const verified = async ({ world }: NoteWorld, name: string) => {
  const result = await world.checks.verify(name);
  if (!result.ok) throw new Error(result.message);
  return result.changeset.verification!;
};

t.test(
  '[4.7] a changeset without checks is verified; one that a check is against says where and why',
  async t => {
    await using notes = await openNoteWorld();
    await notes.ask('PUT', '/notes/cheap', { price: 20 });
    await notes.ask('PUT', '/notes/dear', { price: 120 });
    await cut(notes, 'prices');
    const { verification, readiness } = (await notes.world.changesets.get('prices'))!;
    t.equal(verification, null);
    t.strictSame(readiness.reasons, ['not-verified']);
    t.strictSame(await verified(notes, 'prices').then(({ ok, failures }) => ({ ok, failures })), {
      ok: true,
      failures: [],
    });
    t.ok((await notes.world.changesets.get('prices'))!.readiness.ready);
    await set(notes.world.checks, 'prices', PRICES);
    t.strictSame(
      (await notes.world.changesets.get('prices'))!.readiness.reasons,
      ['not-verified'],
      'what was verified without it is to be verified again',
    );
    const found = await verified(notes, 'prices');
    t.strictSame(found.failures, [{ check: 'prices', entry: 'note:2', message: 'dear costs 120' }]);
    t.equal(found.hash, (await notes.world.changesets.get('prices'))!.currentHash);
    t.strictSame((await notes.world.changesets.get('prices'))!.readiness.reasons, ['verify-failed']);
    t.ok(await notes.world.checks.remove('prices'));
    t.notOk(await notes.world.checks.remove('prices'));
    t.ok((await verified(notes, 'prices')).ok);
  },
);

t.test('[4.7] `tree` is as of the entry: what came later, and what was before, are not in it', async t => {
  await using notes = await openNoteWorld();
  await notes.ask('PUT', '/notes/a', { n: 1 });
  await notes.ask('PUT', '/notes/a', { n: 2 });
  await notes.ask('PUT', '/notes/b', { n: 3 });
  await notes.ask('DELETE', '/notes/a');
  await cut(notes, 'all');
  await set(
    notes.world.checks,
    'seen',
    check(
      `console.log(entry.position, tree.get('note', 'a'), tree.list('note').map(({ id }) => id).join(), tree.list('none').length);`,
    ),
  );
  const { printed } = await verified(notes, 'all');
  t.equal(
    printed![0]!.text,
    '1 {"id":"a","n":1} a 0\n2 {"id":"a","n":2} a 0\n3 {"id":"a","n":2} a,b 0\n4 undefined b 0\n',
  );
});

t.test('[4.7] what exports no check is refused in the engine’s words, and what there was stays', async t => {
  await using notes = await openNoteWorld();
  const { checks } = notes.world;
  const refused = async (source: string): Promise<string> => {
    const result = await checks.set('c', source);
    return result.ok ? 'set' : `${result.why}: ${result.message}`;
  };
  t.match(await refused(''), /^no-check: .*it exports no check/);
  t.match(await refused('export const cheque = {};'), /it exports cheque/);
  t.match(await refused('export const check = { run() {} };'), /no name/);
  t.match(await refused("export const check = { name: 'c' };"), /no function run/);
  t.match(await refused('export const check = {\n  name: ;\n};'), /^no-check: .*line 2/);
  t.match(await refused("import 'node:fs'; export const check = { name: 'c', run() {} };"), /node:fs/);
  t.match(await refused(`/*${'x'.repeat(256 * 1024)}*/`), /^too-long/);
  t.match(await checks.set('C', PRICES), { why: 'bad-name' });
  t.strictSame(checks.list(), []);
  t.equal(await refused(PRICES), 'set');
  t.match(await refused('for (;;);'), /^no-check: .*1000 ms/);
  t.strictSame(checks.list(), [{ name: 'c', source: PRICES }]);
});

t.test('[4.7] a check that loops, throws, lies or breaks things ends alone, and says how', async t => {
  await using notes = await openNoteWorld();
  await notes.ask('PUT', '/notes/a', { n: 1 });
  await notes.ask('PUT', '/notes/b', { n: 2 });
  await cut(notes, 'all');
  const { checks } = notes.world;
  await set(checks, 'nonsense', check('return true;'));
  await set(checks, 'forger', check('tree.get = () => 1;'));
  await set(checks, 'loops', check('for (;;);'));
  await set(checks, 'null', check('throw null;'));
  await set(checks, 'chance', check('Math.random();'));
  await set(
    checks,
    'pollutes',
    check('Object.prototype.ok = false; JSON.stringify = () => "{}"; Array.prototype.map = null;'),
  );
  await set(checks, 'waits', check('return new Promise(() => {});'));
  await set(
    checks,
    'slowly',
    `export const check = { name: 's', async run() { await 0; throw new Error('late\\nno'); } };`,
  );
  await set(checks, 'clean', check('if (Object.prototype.ok !== undefined) throw new Error("seen");'));
  const { failures } = await verified(notes, 'all');
  const of = (name: string) =>
    failures.filter(each => each.check === name).map(each => `${each.entry} ${each.message}`);
  t.strictSame(of('clean'), []);
  t.match(of('nonsense'), [/note:1 it returned a boolean/, /note:2 it returned a boolean/]);
  t.match(of('forger'), [/note:1 it threw: .*(line 1)/, /note:2/]);
  // By the engine, or where the machine leaves that no processor, with its thread.
  t.match(of('loops'), [/^note:1 it was ended: over 1000 ms(, in one step)?$/]);
  t.equal(of('loops').length, 1, 'and looks at nothing more');
  t.strictSame(of('null'), ['note:1 it threw: null', 'note:2 it threw: null']);
  t.match(of('chance'), [/no randomness/, /no randomness/]);
  t.match(of('waits'), [/never comes/, /never comes/]);
  t.match(of('slowly'), [/^note:1 it threw: late \(line 1\)$/, /late/]);
  t.strictSame(of('pollutes'), []);
});

t.test('[4.7] its clock stands at the entry, and what it says is kept within bounds', async t => {
  await using notes = await openNoteWorld();
  await notes.ask('PUT', '/notes/a', { n: 1 });
  for (let n = 0; n < 120; n++) await notes.ask('PUT', '/notes/a', { n: n + 2 });
  await cut(notes, 'all');
  const { checks } = notes.world;
  await set(
    checks,
    'clock',
    check(
      'const said = [new Date().toISOString(), Date.now() === new Date(entry.occurredAt).getTime(), new Date(0).getTime(), new Date().constructor === Date];' +
        'if (entry.position === 1) console.log(...said); return { ok: false, message: "x".repeat(2000) };',
    ),
  );
  const { failures, more, printed } = await verified(notes, 'all');
  t.equal(printed![0]!.text, '2026-01-31T00:00:00.000Z true 0 true\n');
  t.equal(failures.length, 100);
  t.equal(more, 21);
  t.equal(failures[0]!.message.length, 500);
});

t.test('[4.9] what is done in a branch is held against what its parent holds', async t => {
  await using notes = await openNoteWorld();
  await set(notes.world.checks, 'never', check("return { ok: false, message: 'no' };"));
  await notes.world.changesets.setRules({ approvals: 2 });
  await using branch = await branchOff(notes);
  t.strictSame(branch.world.checks.list(), notes.world.checks.list());
  t.strictSame(branch.world.changesets.rules, { approvals: 2 });
  await branch.world.checks.remove('never');
  t.equal(notes.world.checks.list().length, 1, 'each has its own from then on');
});
