// A twin's handlers file on disk: there or not, edited, gone.
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { HandlersFile } from '../../../control/node/handlers-file.ts';
import { mountTwin } from '../../../twins/kit/mount.ts';
import { noteTwin } from '../../kit/note-twin.ts';

const folder = await realpath(await mkdtemp(join(tmpdir(), 'wrld-')));
t.teardown(() => rm(folder, { recursive: true, force: true }));

const document = (id: string): string =>
  JSON.stringify({ version: 1, handlers: [{ id, match: {}, reply: {} }] });

function opened(path: string) {
  const logged: string[] = [];
  let told: () => void = () => undefined;
  const say = (_fields: object, message: string): void => {
    logged.push(message);
    told();
  };
  const twin = mountTwin(noteTwin().twin, null);
  const log = { debug: say, info: say, warn: say, error: say };
  const file = new HandlersFile({ folder, vendor: 'note', path, twin, log });
  return {
    file,
    next: async (): Promise<string> => {
      while (logged.length === 0) {
        await new Promise<void>(resolve => {
          told = resolve;
        });
      }
      return logged.shift()!;
    },
  };
}

t.test(
  '[4.1] one that is not there yet is none, and is in force once it is; gone, it is none again',
  async t => {
    const { file, next } = opened('later.json');
    t.equal(await file.open(), null);
    t.match(await next(), /no handlers: later\.json is not there/);
    await writeFile(join(folder, 'later.json'), document('a'));
    t.equal(await next(), 'later.json is in force');
    await writeFile(join(folder, 'later.json'), '{');
    t.match(
      await next(),
      /^later\.json has faults; the handlers before it stay in force\nlater\.json: not JSON/,
    );
    await rm(join(folder, 'later.json'));
    t.equal(await next(), 'later.json is gone: note has no handlers');
    file.close();
  },
);

t.test('[4.1] one with faults stops the start, and says where', async t => {
  await writeFile(
    join(folder, 'bad.json'),
    '{"version":1,"handlers":[{"id":"a","match":{"model":"x"},"reply":{}}]}',
  );
  const { file } = opened('bad.json');
  t.match(await file.open(), /^bad\.json\/handlers\/0\/match\/model: is not known here/);
  file.close();
});

t.test('a folder that is not there cannot be watched, and the log says so', async t => {
  const { file, next } = opened('nowhere/at/all.json');
  t.equal(await file.open(), null);
  t.match(await next(), /cannot be watched; an edit is read at the next start/);
  file.close();
});
