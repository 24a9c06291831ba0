// Two worlds of note twins in one process, one the origin of the other: what is asked of the origin goes to its endpoints.
// What is pushed it takes as data, when it stands where that begins.
import type { OutboundBody } from '../../control/ports/outbound.ts';
import type { Entry } from '../../control/world/log/entry.ts';
import type { AskOrigin } from '../../control/world/origin/asking.ts';
import { readTips } from '../../control/world/store/tips.ts';
import { openTestSite, type TestSite, type TestSiteOptions } from './site.ts';
import { standInSealer } from './stand-in-sealer.ts';

export const ORIGIN_URL = 'http://127.0.0.1:4000/acme/origin';

export type OriginPair = AsyncDisposable & {
  readonly origin: TestSite;
  readonly own: TestSite;
  /** What the origin is asked for, in order: `GET map`. */
  readonly asked: string[];
  /** Called with each before the origin is: what it returns is the answer instead. */
  before: ((what: string) => Awaited<ReturnType<AskOrigin>> | undefined) | null;
  /** Called with each once the origin has answered. */
  after: ((what: string) => Awaited<ReturnType<AskOrigin>> | undefined) | null;
  connect(): Promise<void>;
};

export const openOriginPair = async (options: TestSiteOptions = {}): Promise<OriginPair> => {
  const origin = await openTestSite({ ...options, world: 'acme/origin' });
  const asked: string[] = [];
  const landed = new Map<string, Landed>();
  const askOrigin: AskOrigin = async ({ world, token }, { method, path, body = null, bytes = false }) => {
    const what = `${method} ${path}`;
    asked.push(what);
    const instead = pair.before?.(what);
    if (instead !== undefined) return instead;
    if (what === 'POST push' && token === origin.token) {
      const answer = await land(origin, landed, JSON.parse(await textOf(body)) as Pushed);
      return pair.after?.(what) ?? { ok: true, ...answer };
    }
    const name = /^GET changesets\/(.*)$/.exec(what)?.[1];
    if (name !== undefined) {
      const value = landed.get(name) ?? null;
      return { ok: true, status: value === null ? 404 : 200, value };
    }
    const admission = origin.site.admit({
      method,
      target: `/-/${world}/${path}`,
      rawHeaders: ['x-wrld-token', token],
      from: 'client',
    });
    if (admission.at === 'forwarded') throw new Error('the origin has no links');
    const reply = admission.at === 'answered' ? admission.reply : await admission.answer(new Uint8Array());
    const answered = { ok: true as const, status: reply.status };
    if (bytes && reply.status === 200) return { ...answered, value: reply.body };
    return pair.after?.(what) ?? { ...answered, value: JSON.parse(reply.body as string) };
  };
  const own = await openTestSite({
    ...options,
    world: 'acme/own',
    notes: { sealer: standInSealer().sealer, askOrigin },
  });
  const pair: OriginPair = {
    origin,
    own,
    asked,
    before: null,
    after: null,
    connect: async () => {
      await own.notes.world.origin.name(ORIGIN_URL, origin.token);
      await own.notes.world.pullOrigin();
    },
    [Symbol.asyncDispose]: async () => {
      await own[Symbol.asyncDispose]();
      await origin[Symbol.asyncDispose]();
    },
  };
  return pair;
};

type Pushed = {
  readonly name: string;
  readonly contentHash: string;
  readonly base: { readonly twins: { readonly [twin: string]: number } };
  readonly changes: readonly { readonly twin: string; readonly entry: Entry }[];
};

type Landed = { readonly contentHash: string; readonly deployed: readonly [] };

/** Each entry is what its notes say, whatever made it so there. */
const land = async (
  { notes }: TestSite,
  landed: Map<string, Landed>,
  { name, contentHash, base, changes }: Pushed,
): Promise<{ readonly status: number; readonly value: unknown }> => {
  const known = landed.get(name);
  if (known !== undefined) return { status: known.contentHash === contentHash ? 200 : 409, value: known };
  const { note: tip = 0 } = readTips(notes.sql);
  if (base.twins['note'] !== tip)
    return {
      status: 409,
      value: {
        error: {
          message: 'It went on.',
          details: { drift: [{ twin: 'note', base: base.twins['note'], head: tip }] },
        },
      },
    };
  for (const { entry } of changes) {
    const puts = entry.changes.filter(({ op }) => op === 'put').map(({ id, after }) => [id, after]);
    const deletes = entry.changes.filter(({ op }) => op === 'delete').map(({ id }) => id);
    await notes.ask('POST', '/bulk', { puts, deletes });
    if ((readTips(notes.sql)['note'] ?? 0) < entry.position)
      await notes.world.rewrite(() =>
        notes.sql.run(
          `INSERT INTO entry(twin, pos, at, wall, kind, actor, changes) VALUES ('note', ?, ?, ?, 'none', 'client', '[]')`,
          entry.position,
          Date.parse(entry.occurredAt),
          Date.parse(entry.recordedAt),
        ),
      );
    notes.sql.run("UPDATE entry SET changeset = ? WHERE twin = 'note' AND pos = ?", name, entry.position);
  }
  const now: Landed = { contentHash, deployed: [] };
  landed.set(name, now);
  return { status: 200, value: now };
};

const textOf = async (body: OutboundBody): Promise<string> => {
  if (body === null || typeof body === 'string') return body ?? '';
  if (body instanceof Uint8Array) return new TextDecoder().decode(body);
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of body) text += decoder.decode(chunk, { stream: true });
  return text;
};
