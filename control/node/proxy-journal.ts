// The journal of the proxy beside this world, read from its file while somebody looks: what was let out, and what was
// refused. The proxy does nothing for it, and neither does anybody when nobody looks.
import { type FileHandle, open, stat } from 'node:fs/promises';
import { parseJson } from '../../policy/json-text.ts';
import {
  NOTHING_OUTSIDE,
  type Outside,
  type OutsideLine,
  type OutsideMinute,
  type OutsideSeen,
} from '../world/requests/outside.ts';
import { Tally } from '../world/requests/tally.ts';
import { OUTSIDE_LINES_MAX, OUTSIDE_MINUTES_MAX, PROXY_JOURNAL_BYTES_MAX } from './limits.ts';

const MINUTE_MS = 60_000;
const NEWLINE = 10;
/** What was set aside last (process/log-file.ts). */
const SET_ASIDE = '.1';
/** Numbers of two openings must not meet: so many lines a millisecond are never written. */
const LINES_PER_MS = 1000;

export class ProxyJournal implements Outside {
  readonly #path: string;
  readonly #bytesMax: number;
  #seq = Date.now() * LINES_PER_MS;
  #file: { readonly ino: number; readonly dev: number } | null = null;
  #read = 0;
  #lines: OutsideLine[] = [];
  #minutes = new Map<number, OutsideMinute>();
  #since: number | null = null;
  #looking: Promise<OutsideSeen> | null = null;

  constructor(path: string, bytesMax: number = PROXY_JOURNAL_BYTES_MAX) {
    this.#path = path;
    this.#bytesMax = bytesMax;
  }

  /** Several who look at once look together. */
  look(): Promise<OutsideSeen> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = null;
    });
    return this.#looking;
  }

  async #look(): Promise<OutsideSeen> {
    const there = await stat(this.#path).catch(() => null);
    if (there === null) return this.#since === null ? NOTHING_OUTSIDE : this.#seen;
    if (this.#file !== null && (there.ino !== this.#file.ino || there.dev !== this.#file.dev)) {
      await this.#finish(this.#file.ino);
      this.#file = null;
    }
    if (this.#file === null) {
      this.#file = { ino: there.ino, dev: there.dev };
      this.#read = 0;
    }
    // Cut to nothing by somebody.
    if (there.size < this.#read) this.#read = 0;
    if (there.size > this.#read) await this.#take(this.#path, there.size);
    this.#trim();
    return this.#seen;
  }

  get #seen(): OutsideSeen {
    return { lines: this.#lines, minutes: this.#minutes, since: this.#since };
  }

  /** The rest of the file that was set aside since. */
  async #finish(ino: number): Promise<void> {
    const path = this.#path + SET_ASIDE;
    const aside = await stat(path).catch(() => null);
    if (aside?.ino === ino) await this.#take(path, aside.size);
    // More than one was: what lies between is not read, and nothing before it is told as if it were all.
    else this.#begin();
  }

  /** Counts begin anew with what comes. */
  #begin(): void {
    this.#lines = [];
    this.#minutes = new Map();
    this.#since = null;
  }

  async #take(path: string, size: number): Promise<void> {
    let from = this.#read;
    const skips = size - from > this.#bytesMax;
    if (skips) {
      this.#begin();
      from = size - this.#bytesMax;
    }
    const bytes = await readBetween(path, from, size);
    if (bytes === null) return;
    const end = bytes.lastIndexOf(NEWLINE) + 1;
    // What of it is not whole yet is read the next time, and what was begun before is left out.
    const begin = skips ? bytes.indexOf(NEWLINE) + 1 : 0;
    this.#read = from + end;
    if (end <= begin) return;
    for (const line of bytes.toString('utf8', begin, end - 1).split('\n')) this.#note(line);
  }

  #note(text: string): void {
    if (this.#since === null) this.#since = firstTime(text);
    // Those to twins are in the world's own journal, and most lines are such.
    if (text.includes('"decision":"twin"') || text.includes('"decision":"world"')) return;
    const line = lineOf(text, this.#seq + 1);
    if (line === null) return;
    this.#seq += 1;
    this.#lines.push(line);
    const at = Math.floor(line.at / MINUTE_MS) * MINUTE_MS;
    let minute = this.#minutes.get(at);
    if (minute === undefined)
      this.#minutes.set(at, (minute = { granted: 0, refused: 0, times: new Tally() }));
    minute[line.outcome] += 1;
    if (line.outcome === 'granted' && line.ms !== null)
      minute.times.count(line.status, Math.round(line.ms * 1000), false);
  }

  #trim(): void {
    if (this.#lines.length > OUTSIDE_LINES_MAX) this.#lines = this.#lines.slice(-OUTSIDE_LINES_MAX);
    while (this.#minutes.size > OUTSIDE_MINUTES_MAX) {
      const oldest = Math.min(...this.#minutes.keys());
      this.#minutes.delete(oldest);
      this.#since = Math.max(this.#since ?? 0, oldest + MINUTE_MS);
    }
  }
}

/** Null where the file went meanwhile. */
async function readBetween(path: string, from: number, to: number): Promise<Buffer | null> {
  let file: FileHandle | null = null;
  try {
    file = await open(path);
    const bytes = Buffer.allocUnsafe(to - from);
    const { bytesRead } = await file.read(bytes, 0, bytes.length, from);
    return bytes.subarray(0, bytesRead);
  } catch {
    return null;
  } finally {
    await file?.close();
  }
}

const TIME = /"time":(\d{1,16})/;

function firstTime(text: string): number | null {
  const found = TIME.exec(text)?.[1];
  return found === undefined ? null : Number(found);
}

const GRANTED = new Set(['egress', 'tunnel', 'service', 'app']);

/** Null for what is no request, or none of these. */
function lineOf(text: string, seq: number): OutsideLine | null {
  if (!/"msg":"(?:request|tunnel)"\}$/.test(text)) return null;
  const read = parseJson(text);
  if (!read.ok || typeof read.value !== 'object' || read.value === null) return null;
  const line = read.value as { readonly [name: string]: unknown };
  const words = (name: string): string | null => (typeof line[name] === 'string' ? line[name] : null);
  const number = (name: string): number | null => (typeof line[name] === 'number' ? line[name] : null);
  const decision = words('decision') ?? '';
  const method = words('method');
  const at = number('time');
  // A connection that ended before it had asked for anything is no request.
  if (at === null || method === null) return null;
  if (!GRANTED.has(decision) && decision !== 'refuse' && decision !== 'unjudged') return null;
  const port = number('port');
  const host = words('host');
  return {
    seq,
    at,
    outcome: GRANTED.has(decision) ? 'granted' : 'refused',
    run: words('run'),
    method,
    host: host === null || port === null ? host : `${host}:${port}`,
    path: words('path'),
    rule: words('rule'),
    status: number('status') ?? 0,
    ms: number('ms'),
    trace: words('trace'),
  };
}
