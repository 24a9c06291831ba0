// A world that is killed while it copies its root: whenever that is, it goes on where its store says, and has everything once.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import t from 'tap';
import { within } from '../../../kit/deadline.ts';
import { openNoteWorld } from '../../../kit/note-world.ts';
import { put, rootedNote } from '../../../kit/rooted-note.ts';

const PAGES = 6;
const NOTES = 60;

const page = (n: number): string =>
  JSON.stringify({
    ...(n === 0 ? { anew: true } : {}),
    put: Array.from({ length: NOTES }, (_, at) => put(`n${n}-${at}`, { text: `${n}-${at}` })),
    cursor: String(n + 1),
    more: n < PAGES - 1,
    ...(n === PAGES - 1 ? { whole: ['note'] } : {}),
  });

t.test('[4.6] [storage 25] a refresh that is killed goes on from the last page that was stored', async t => {
  const folder = t.testdir();
  const file = join(folder, 'world.db');
  const asked: number[] = [];
  let answer = (response: ServerResponse, n: number): void => void response.end(page(n));
  const server = createServer((request, response) => {
    const n = Number(request.url!.split('after=')[1] || '0');
    asked.push(n);
    answer(response, n);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const start = (): ChildProcess => {
    const program = join(import.meta.dirname, '..', '..', '..', 'kit', 'refresh-process.ts');
    return spawn(process.execPath, [program, file, url], { stdio: ['ignore', 'pipe', 'inherit'] });
  };
  const kill = async (child: ChildProcess): Promise<void> => {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  };
  // Before a page is answered, with its first half, and when it was just sent: it may be stored by then, or not.
  const moments: readonly ((response: ServerResponse, n: number) => void)[] = [
    () => {},
    (response, n) => void response.write(page(n).slice(0, 100)),
    (response, n) => void response.end(page(n)),
    (response, n) => void response.end(page(n)),
  ];
  for (const [round, moment] of moments.entries()) {
    const reached = Promise.withResolvers<void>();
    answer = (response, n) => {
      if (n < round + 1) return void response.end(page(n));
      moment(response, n);
      reached.resolve();
    };
    const child = start();
    await within('the page is asked for', reached.promise);
    await kill(child);
  }
  answer = (response, n) => void response.end(page(n));
  const last = start();
  const [line] = (await within('the pass ends', once(createInterface(last.stdout!), 'line'))) as [string];
  t.match(JSON.parse(line), { fault: null, progress: null });
  await kill(last);
  for (let at = 1; at < asked.length; at++)
    t.ok(asked[at]! - asked[at - 1]! <= 1, `no page is left out: ${asked.join()}`);
  t.equal(asked.at(-1), PAGES - 1);

  await using notes = await openNoteWorld({ file, twins: { note: rootedNote() } });
  const [{ resources, position } = { resources: [], position: 0 }] = await notes.world.map();
  t.strictSame(resources, [{ type: 'note', count: PAGES * NOTES }]);
  t.equal(position, PAGES * 2, 'no page made an entry twice');
  t.match(await notes.world.twinStatus('note'), { dataOrigin: 'vendor-refresh' });
});
