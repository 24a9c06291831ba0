// `wrld world find` against a world's own endpoints.
import t from 'tap';
import { readArguments } from '../../../cli/command.ts';
import { worldFind } from '../../../cli/commands/find.ts';
import { openOutput } from '../../../cli/output.ts';
import { openGatedSite } from '../../kit/gated-site.ts';

t.test('[4.9] records and entries that hold a text, for people and for programs', async t => {
  await using gated = await openGatedSite();
  const { site, listener } = gated;
  for (const [id, text] of [
    ['a', 'Ada Lovelace'],
    ['b', 'Grace Hopper\u001b[2J'],
    ['c', 'Ada King'],
  ])
    await site.notes.ask('PUT', `/notes/${id}`, { text });
  const wrld = async (...args: readonly string[]) => {
    const read = readArguments(worldFind, args);
    if (!read.ok) throw new Error(read.why);
    const lines: string[] = [];
    const into = { write: (text: string) => lines.push(text) > 0, isTTY: false, columns: 200 };
    // What of a terminal is used here is no more than this.
    const output = openOutput(into as never, into as never, {});
    const env = {
      WRLD_WORLD: `http://127.0.0.1:${listener.port}/acme/notes`,
      WRLD_WORLD_TOKEN: site.readToken,
    };
    const code = await worldFind.run(read.given, { output, folder: '/', env });
    return { code, out: lines.join('') };
  };
  const all = await wrld('ada');
  t.equal(all.code, 0);
  const [, ada, king, , , ...entries] = all.out.split('\n');
  t.match([ada, king], [/^note +note +c +/, /^note +note +a +/], 'the newest first');
  t.match(entries, [/ {2}note +3 +note\.created /, / {2}note +1 +note\.created /, /^$/]);
  t.match(await wrld('ada', '--limit', '1'), { out: /more records: .*\n(?:.*\n)+more entries: / });
  t.notMatch((await wrld('grace')).out, /\u001b/);
  const json = JSON.parse((await wrld('ADA king', '--json')).out);
  t.match(json, { records: { found: [{ id: 'c' }], more: false }, entries: { found: [{ id: 'note:3' }] } });
  t.match(JSON.parse((await wrld('--kind', 'note', '--json')).out), {
    records: { found: { length: 0 } },
    entries: { found: { length: 3 } },
  });
  t.match(await wrld('nowhere'), { code: 0, out: 'Nothing: looked through 6 records and entries.\n' });
  t.match(await wrld(), { code: 2, out: /needs a text or a filter/ });
  t.match(await wrld('a', '--limit', '0'), { code: 2, out: /--limit is a number from 1 to 200/ });
  t.match(await wrld('a', '--twin', 'none'), { code: 1, out: /wrld world find: .*none/ });
});
