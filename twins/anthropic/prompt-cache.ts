// Prompt caching, as far as it is seen: which part of a request was cached before, which is now, and so what `usage` says
// of it. A prefix ends at a block with `cache_control`, in the order tools, system, messages; it is known for five
// minutes or an hour of the world's clock from its last use. What is known is in no log and in no branch.
import {
  arrayField,
  field,
  isJsonObject,
  type Json,
  type JsonObject,
  objectField,
  textField,
} from '../kit/json.ts';
import { textDigest, tokensOf } from '../kit/tokens.ts';
import type { Tx } from '../kit/tx.ts';
import { invalid } from './errors.ts';
import { cachedPrefixTokensMin } from './models.ts';

const BREAKPOINTS_MAX = 4;
/** So many blocks before a breakpoint are looked at for a prefix that an earlier request had cached. */
const LOOKBACK_BLOCKS = 20;
const TTL_MS = { '5m': 5 * 60_000, '1h': 60 * 60_000 } as const;
type Ttl = keyof typeof TTL_MS;

/** Tokens. */
export type Cached = {
  /** After the last breakpoint. */
  readonly input: number;
  readonly read: number;
  readonly written5m: number;
  readonly written1h: number;
};

type Block = {
  /** As an error names it: `messages.0.content.1`. */
  readonly place: string;
  readonly text: string;
  readonly ttl: Ttl | null;
};

/** Throws what Anthropic would say of breakpoints that it does not take. */
export function checkBreakpoints(body: JsonObject): void {
  const marked = blocksOf(body).filter(({ ttl }) => ttl !== null);
  if (marked.length > BREAKPOINTS_MAX)
    throw invalid(
      `A maximum of ${BREAKPOINTS_MAX} blocks with cache_control may be provided. Found ${marked.length}.`,
    );
  const short = marked.findIndex(({ ttl }) => ttl === '5m');
  const late = short < 0 ? undefined : marked.slice(short).find(({ ttl }) => ttl === '1h');
  if (late !== undefined)
    throw invalid(
      `${late.place}.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control ` +
        'block. Note that blocks are processed in the following order: `tools`, `system`, `messages`.',
    );
}

/** `input`: all tokens of the request; `said`: what a handler says was read. Remembers what is cached now. */
export function cachedOf(
  body: JsonObject,
  { input, said, tx }: { readonly input: number; readonly said: number | null; readonly tx: Tx },
): Cached {
  if (said !== null) return { input, read: said, written5m: 0, written1h: 0 };
  const blocks = blocksOf(body);
  if (blocks.every(({ ttl }) => ttl === null)) return { input, read: 0, written5m: 0, written1h: 0 };
  const prefixes = prefixesOf(blocks, body, input);
  const min = cachedPrefixTokensMin(textField(body, 'model') ?? '');
  const marks = prefixes.filter(({ ttl, tokens }) => ttl !== null && tokens >= min);
  const found = marks.map(mark => knownBefore(mark.at, prefixes, tx));
  const read = found.reduce(
    (most, prefix) => (prefix !== null && prefix.tokens > most ? prefix.tokens : most),
    0,
  );
  const written = { '5m': 0, '1h': 0 };
  let from = read;
  for (const { ttl, tokens, digest } of marks) {
    if (ttl === null) continue;
    written[ttl] += Math.max(0, tokens - from);
    from = Math.max(from, tokens);
    know(tx, digest, ttl);
  }
  // A prefix that was used lives as long again, whether this request marks it or not.
  for (const prefix of found) if (prefix !== null) know(tx, prefix.digest, prefix.known);
  const cached = read + written['5m'] + written['1h'];
  return { input: input - cached, read, written5m: written['5m'], written1h: written['1h'] };
}

type Prefix = {
  readonly at: number;
  readonly tokens: number;
  readonly digest: string;
  readonly ttl: Ttl | null;
};

/** What ends at each block. The shares of the blocks are brought to the count that the request has as a whole. */
function prefixesOf(blocks: readonly Block[], body: JsonObject, input: number): readonly Prefix[] {
  const whole = blocks.reduce((sum, { text }) => sum + tokensOf(text), 0);
  const model = textField(body, 'model') ?? '';
  // Messages are not found again where these are others; tools and instructions are.
  const choices = JSON.stringify([field(body, 'tool_choice') ?? null, field(body, 'thinking') ?? null]);
  let sum = 0;
  let digest = textDigest(model);
  let inMessages = false;
  return blocks.map(({ place, text, ttl }, at) => {
    const first = !inMessages && place.startsWith('messages');
    inMessages ||= first;
    digest = textDigest(`${digest}${first ? choices : ''}${text}`);
    sum += tokensOf(text);
    return { at, tokens: whole === 0 ? 0 : Math.round((input * sum) / whole), digest, ttl };
  });
}

type Known = Prefix & { readonly known: Ttl };

/** The longest prefix up to that block that is known still. */
function knownBefore(at: number, prefixes: readonly Prefix[], tx: Tx): Known | null {
  for (let place = at; place >= 0 && place >= at - LOOKBACK_BLOCKS; place -= 1) {
    const prefix = prefixes[place]!;
    const known = tx.recall(keyOf(prefix.digest))?.fingerprint;
    if (known === '5m' || known === '1h') return { ...prefix, known };
  }
  return null;
}

function know(tx: Tx, digest: string, ttl: Ttl): void {
  tx.remember(keyOf(digest), { fingerprint: ttl, status: 200, headers: [], body: '' }, tx.now + TTL_MS[ttl]);
}

const keyOf = (digest: string): string => `prompt cache ${digest}`;

/** What may end a prefix, in the order in which Anthropic reads it. */
function blocksOf(body: JsonObject): readonly Block[] {
  const system = field(body, 'system');
  const blocks: Block[] = [
    ...arrayField(body, 'tools').map((tool, at) => blockOf(tool, `tools.${at}`)),
    ...(typeof system === 'string' ? [blockOf(system, 'system')] : []),
    ...arrayField(body, 'system').map((block, at) => blockOf(block, `system.${at}`)),
    ...arrayField(body, 'messages').flatMap((message, index) => {
      const content = field(message, 'content');
      const place = `messages.${index}`;
      const role = textField(message, 'role') ?? '';
      if (!Array.isArray(content)) return [blockOf(content ?? null, place, role)];
      return content.map((block, at) => blockOf(block, `${place}.content.${at}`, role));
    }),
  ];
  const automatic = ttlOf(objectField(body, 'cache_control'));
  const last = blocks.at(-1);
  // At the top of a request it stands for the last block.
  return automatic === null || last === undefined || last.ttl !== null
    ? blocks
    : [...blocks.slice(0, -1), { ...last, ttl: automatic }];
}

function blockOf(block: Json, place: string, role = ''): Block {
  const ttl = ttlOf(objectField(block, 'cache_control')) ?? innerTtl(block);
  return { place, text: role + JSON.stringify(withoutMarks(block)), ttl };
}

/** A tool's result may have its mark on a block within. */
function innerTtl(block: Json): Ttl | null {
  const marks = arrayField(block, 'content').map(inner => ttlOf(objectField(inner, 'cache_control')));
  return marks.findLast(ttl => ttl !== null) ?? null;
}

function ttlOf(mark: JsonObject | null): Ttl | null {
  if (textField(mark, 'type') !== 'ephemeral') return null;
  return textField(mark, 'ttl') === '1h' ? '1h' : '5m';
}

/** Where a breakpoint stands is no part of what is cached. */
function withoutMarks(block: Json): Json {
  if (!isJsonObject(block)) return block;
  const { cache_control: _, ...rest } = block;
  const { content } = rest;
  return Array.isArray(content) ? { ...rest, content: content.map(withoutMarks) } : rest;
}
