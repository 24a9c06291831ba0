// How near a recorded stream is replayed to when its pieces came: an app's own requests, through the proxy, one and several at
// once; each piece beside the instant that the recording names.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import type { Table } from './report.ts';

const CLI = new URL('../cli/wrld.js', import.meta.url).pathname;
/** Streams at once. */
const AT_ONCE = [1, 8, 32] as const;
const STREAMS_MIN = 32;
/** As many times they are all asked, at least: of one time a single pause of the machine would be one piece in a hundred. */
const TIMES_MIN = 8;
const PIECES = 100;
/** Between two pieces, as a model says them. Milliseconds. */
const GAP_MS = { least: 1, most: 25 } as const;
/** Between the beginnings of two streams: what they cost together is none of this. Milliseconds. */
const APART_MS = 17;
/** The first piece comes after a model has thought. Milliseconds. */
const FIRST_MS = 120;

type World = { readonly proxyUrl: string; readonly caFile: string; readonly token: string };

export async function measureReplay(): Promise<Table> {
  const times = recordedTimes();
  const child = spawn(process.execPath, [CLI, 'world', 'test'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  try {
    child.stdin.write(`${JSON.stringify({ twins: ['openai'], handlers: { openai: handlersOf(times) } })}\n`);
    const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
    const world = JSON.parse(line) as World;
    const rows: string[][] = [];
    const p99s: number[] = [];
    for (const atOnce of AT_ONCE) {
      const { whole, apart } = await offsOf(world, times, atOnce);
      const at = (share: number): number => whole[Math.floor((whole.length - 1) * share)]!;
      const apartAt = apart[Math.floor((apart.length - 1) * 0.99)]!;
      p99s.push(apartAt);
      const shown = [Math.max(0, -whole[0]!), at(0.5), at(0.99), at(1), apartAt];
      rows.push([String(atOnce), ...shown.map(ms => ms.toFixed(1))]);
    }
    return {
      title: `A recorded stream, replayed: each of ${PIECES} pieces beside when it came, ms`,
      head: [
        'streams at once',
        'early at most',
        'late, p50',
        'p99',
        'at most',
        'from its first piece on, p99',
      ],
      rows,
      figures: { replayP99: Math.max(...p99s) },
      foot: [
        `Through the proxy, by a program of one thread that reads all of them; counted from when the request was sent, so that the way there and back is in it; the last column is how far a piece is from its distance to the first. ${AT_ONCE.map(streamsOf).join(', ')} streams of some ${Math.round(times.at(-1)! / 100) / 10} seconds each.`,
      ],
    };
  } finally {
    child.stdin.end();
    await ended;
  }
}

const streamsOf = (atOnce: number): number => Math.max(STREAMS_MIN, TIMES_MIN * atOnce);

/** The same in each run. */
function recordedTimes(): readonly number[] {
  let state = 20_251_123;
  const chance = (): number => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
  let at = FIRST_MS;
  return Array.from({ length: PIECES }, () => {
    at += GAP_MS.least + chance() * (GAP_MS.most - GAP_MS.least);
    return Math.round(at * 10) / 10;
  });
}

function handlersOf(times: readonly number[]): object {
  const chunks = times.map((atMs, nth) => ({ atMs, text: `data: ${nth}\n\n` }));
  const reply = { headers: { 'content-type': 'text/event-stream' }, raw: { chunks } };
  return { version: 1, handlers: [{ id: 'recorded', match: { endpoint: 'chat.completions' }, reply }] };
}

/** Sorted. `whole`: how late each piece was; `apart`: how far each was from its distance to its stream's first. */
async function offsOf(
  world: World,
  times: readonly number[],
  atOnce: number,
): Promise<{ readonly whole: readonly number[]; readonly apart: readonly number[] }> {
  const agent = new Agent({
    keepAlive: true,
    proxyEnv: { HTTPS_PROXY: world.proxyUrl },
    ca: readFileSync(world.caFile),
  });
  // Connections are there already when a program's second request is asked.
  await Promise.all(Array.from({ length: atOnce }, () => stream(agent, world)));
  const whole: number[] = [];
  const apart: number[] = [];
  for (let left = streamsOf(atOnce); left > 0; left -= atOnce) {
    const begun = Array.from({ length: atOnce }, async (_, nth) => {
      await setTimeout(nth * APART_MS);
      return await stream(agent, world);
    });
    const streams = await Promise.all(begun);
    for (const came of streams)
      for (const [nth, at] of came.entries()) {
        whole.push(at - times[nth]!);
        apart.push(Math.abs(at - came[0]! - (times[nth]! - times[0]!)));
      }
  }
  agent.destroy();
  return { whole: whole.toSorted((a, b) => a - b), apart: apart.toSorted((a, b) => a - b) };
}

/** Milliseconds after the request, of each piece. */
function stream(agent: Agent, { token }: World): Promise<readonly number[]> {
  const from = performance.now();
  const came: number[] = [];
  return new Promise((resolve, reject) => {
    const asked = request(
      'https://api.openai.com/v1/chat/completions',
      {
        agent,
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      },
      answer => {
        let rest = '';
        answer.setEncoding('utf8').on('data', (text: string) => {
          const at = performance.now() - from;
          const pieces = (rest + text).split('\n\n');
          rest = pieces.pop()!;
          for (const _ of pieces) came.push(at);
        });
        answer.on('end', () =>
          came.length === PIECES
            ? resolve(came)
            : reject(new Error(`${came.length} pieces, ${answer.statusCode}`)),
        );
      },
    );
    asked.on('error', reject);
    asked.end(
      JSON.stringify({ model: 'gpt-5', stream: true, messages: [{ role: 'user', content: 'hello' }] }),
    );
  });
}
