// A changeset as another world sends it (storage.md, Push): read with bounds, and found to be what its hash says. That its
// actions are those of its changes is checked too: nobody has others performed than those that people could read.
import type { Digest } from '../../ports/digest.ts';
import {
  ENTRY_CHANGES_MAX,
  ENTRY_PATH_CHARS_MAX,
  PERSON_CHARS_MAX,
  PUSHED_ENTRIES_MAX,
  RECORD_ID_CHARS_MAX,
} from '../limits.ts';
import type { Actor, Entry } from '../log/entry.ts';
import { hex } from '../store/identifier.ts';
import { parseInstant } from '../store/instant.ts';
import { Actions } from './actions.ts';
import { HASH_PREFIX } from './body-hash.ts';
import { canonical } from './canonical.ts';
import type { Action, ChangesetBody } from './changeset.ts';
import { messageFault, nameFault } from './cut.ts';

/** The whole of it, as `POST …/push` takes it and `GET …/changesets/<name>?body=1` gives it. */
export type PushedChangeset = ChangesetBody & {
  readonly kind: 'wrld-changeset';
  readonly version: 1;
  readonly owner: string | null;
  readonly cutBy: string;
  /** ISO 8601, wall time. */
  readonly at: string;
  readonly contentHash: string;
  /** Bytes that its entries name by their SHA-256, in base64; outside of the hash, which binds their names. */
  readonly blobs: { readonly [sha256: string]: string };
};

export type PushedResult =
  | { readonly ok: true; readonly changeset: PushedChangeset }
  | { readonly ok: false; readonly why: 'bad-changeset' | 'bad-hash'; readonly message: string };

const FIELDS: readonly string[] = [
  ...[
    'kind',
    'version',
    'name',
    'message',
    'base',
    'changes',
    'actions',
    'owner',
    'cutBy',
    'at',
    'contentHash',
    'blobs',
  ],
];

class Fault extends Error {}

/** Of any JSON. */
export const readPushed = (digest: Digest, value: unknown): PushedResult => {
  try {
    const changeset = shaped(value);
    const { name, message, base, changes, actions, contentHash } = changeset;
    const hasher = digest.hasher();
    hasher.add(HASH_PREFIX + canonical({ name, message, base, changes, actions }));
    if (hex(hasher.digest()) !== contentHash)
      return {
        ok: false,
        why: 'bad-hash',
        message: 'The changeset is not what its `contentHash` says: it was changed after it was cut.',
      };
    inOrder(changeset);
    return { ok: true, changeset };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { ok: false, why: 'bad-changeset', message: error.message };
  }
};

const shaped = (value: unknown): PushedChangeset => {
  const all = fields(value, 'The body', FIELDS);
  const {
    kind,
    version,
    name,
    message,
    base,
    changes,
    actions,
    owner = null,
    cutBy,
    at,
    contentHash,
    blobs = {},
  } = all;
  if (kind !== 'wrld-changeset' || version !== 1)
    throw new Fault('The body is no changeset of version 1: `kind` is wrld-changeset, `version` is 1.');
  const fault = nameFault(text(name, 'name')) ?? messageFault(text(message, 'message'), true);
  if (fault !== null) throw new Fault(fault.message);
  const { world, twins } = fields(base, '`base`', ['world', 'twins']);
  text(world, 'base.world');
  for (const [twin, position] of Object.entries(fields(twins, '`base.twins`')))
    if (!isCount(position)) throw new Fault(`\`base.twins.${twin}\` is a position.`);
  if (!Array.isArray(changes) || changes.length === 0 || changes.length > PUSHED_ENTRIES_MAX)
    throw new Fault(`\`changes\` is a list of 1 to ${PUSHED_ENTRIES_MAX} entries.`);
  changes.forEach((change, n) => checkEntry(change, `changes[${n}]`, name as string));
  if (!Array.isArray(actions)) throw new Fault('`actions` is a list.');
  for (const [sha256, bytes] of Object.entries(fields(blobs, '`blobs`')))
    if (!isHex(sha256, 64) || typeof bytes !== 'string')
      throw new Fault('`blobs` holds bytes in base64 by their SHA-256.');
  if (owner !== null && (text(owner, 'owner') === '' || (owner as string).length > PERSON_CHARS_MAX))
    throw new Fault('`owner` is a person’s name, or null.');
  if (text(cutBy, 'cutBy').length > PERSON_CHARS_MAX) throw new Fault('`cutBy` is too long.');
  instant(at, 'at');
  if (!isHex(contentHash, 64)) throw new Fault('`contentHash` is a SHA-256 in hex.');
  return {
    ...(all as PushedChangeset),
    owner: owner as string | null,
    blobs: blobs as PushedChangeset['blobs'],
  };
};
const TWIN = /^[a-z0-9-]{1,100}$/;
const ACTORS: readonly Actor['type'][] = ['client', 'system'];
const OPS: readonly string[] = ['put', 'delete', 'blob'];
const ENTRY_FIELDS: readonly string[] = [
  ...[
    'id',
    'twin',
    'position',
    'kind',
    'occurredAt',
    'recordedAt',
    'actor',
    'caller',
    'changes',
    'request',
    'trace',
  ],
  ...['cause', 'delivery', 'changeset'],
];

const checkEntry = (value: unknown, at: string, name: string): void => {
  const { twin, entry } = fields(value, `\`${at}\``, ['twin', 'entry']);
  const told = fields(entry, `\`${at}.entry\``, ENTRY_FIELDS) as { readonly [field in keyof Entry]: unknown };
  if (!TWIN.test(text(twin, `${at}.twin`)) || told.twin !== twin || told.id !== `${twin}:${told.position}`)
    throw new Fault(`\`${at}\` is an entry of another twin than it says.`);
  if (!isCount(told.position) || told.position === 0)
    throw new Fault(`\`${at}.entry.position\` is a position.`);
  if (told.changeset !== name) throw new Fault(`\`${at}.entry.changeset\` is the name of the changeset.`);
  text(told.kind, `${at}.entry.kind`);
  instant(told.occurredAt, `${at}.entry.occurredAt`);
  instant(told.recordedAt, `${at}.entry.recordedAt`);
  const { type, id } = fields(told.actor, `\`${at}.entry.actor\``, ['type', 'id']);
  if (!ACTORS.includes(type as Actor['type']) || (id !== undefined && typeof id !== 'string'))
    throw new Fault(
      `\`${at}.entry.actor\` is a client or the system: what else wrote is no world’s to push.`,
    );
  for (const optional of ['caller', 'cause'] as const)
    if (told[optional] !== undefined) text(told[optional], `${at}.entry.${optional}`);
  if (told.trace !== undefined) checkTrace(told.trace, at);
  if (told.delivery !== undefined) fields(told.delivery, `\`${at}.entry.delivery\``);
  if (told.request !== undefined) checkRequest(told.request, at);
  const { changes } = told;
  if (!Array.isArray(changes) || changes.length > ENTRY_CHANGES_MAX)
    throw new Fault(`\`${at}.entry.changes\` is a list of at most ${ENTRY_CHANGES_MAX}.`);
  for (const change of changes) {
    const { op, type, id, before, after } = fields(change, `\`${at}.entry.changes\``, [
      ...['op', 'type', 'id', 'before', 'after'],
    ]);
    if (!OPS.includes(op as string)) throw new Fault(`\`${at}\` has a change of an unknown kind.`);
    text(type, `${at}.entry.changes.type`);
    const named = text(id, `${at}.entry.changes.id`);
    if (named === '' || named.length > RECORD_ID_CHARS_MAX) throw new Fault(`\`${at}\` names no record.`);
    for (const body of [before, after]) if (body !== undefined) fields(body, `A record of \`${at}\``);
    if ((op === 'put') !== (after !== undefined) || (op === 'delete' && before === undefined))
      throw new Fault(`\`${at}\` has a change that does not say what the record is after it, or was before.`);
  }
};

const checkTrace = (trace: unknown, at: string): void => {
  const { traceId, spanId, parentId } = fields(trace, `\`${at}.entry.trace\``, [
    'traceId',
    'spanId',
    'parentId',
  ]);
  const good = isHex(traceId, 32) && isHex(spanId, 16) && (parentId === null || isHex(parentId, 16));
  if (!good) throw new Fault(`\`${at}.entry.trace\` is no W3C trace.`);
};

const checkRequest = (request: unknown, at: string): void => {
  const where = `\`${at}.entry.request\``;
  const { method, path, query, headers, body, blob } = fields(request, where, [
    ...['method', 'path', 'query', 'headers', 'body', 'blob'],
  ]);
  if (!/^[A-Z]{1,20}$/.test(text(method, `${at}.entry.request.method`)))
    throw new Fault(`${where} has no method.`);
  const asked = text(path, `${at}.entry.request.path`);
  if (!asked.startsWith('/') || asked.length > ENTRY_PATH_CHARS_MAX) throw new Fault(`${where} has no path.`);
  for (const one of [query, body]) if (one !== undefined) text(one, `${at}.entry.request`);
  for (const [name, held] of Object.entries(fields(headers ?? {}, where)))
    if (!/^[a-z0-9-]{1,100}$/.test(name) || typeof held !== 'string' || /[\r\n\0]/.test(held))
      throw new Fault(`${where} has a header that is none.`);
  if (blob === undefined) return;
  const { sha256, bytes } = fields(blob, `${where}.blob`, ['sha256', 'bytes']);
  if (!isHex(sha256, 64) || !isCount(bytes)) throw new Fault(`${where}.blob names no bytes.`);
};

/** Positions follow each other from the base, and the actions are those that the entries make. */
const inOrder = ({ base, changes, actions }: PushedChangeset): void => {
  const tips = new Map<string, number>(Object.entries(base.twins));
  let before = '';
  const made = new Actions();
  const derived: Action[] = [];
  for (const { twin, entry } of changes) {
    const tip = tips.get(twin);
    if (tip === undefined || entry.position !== tip + 1)
      throw new Fault(
        `The entry ${entry.id} does not follow the base: pull the origin first, and cut again.`,
      );
    tips.set(twin, entry.position);
    const place = `${entry.occurredAt} ${twin}`;
    if (place < before) throw new Fault(`The entry ${entry.id} is not in the order of the log.`);
    before = place;
    const action = made.of(entry);
    if (action !== null) derived.push(action);
  }
  for (const [twin, tip] of tips)
    if (tip === base.twins[twin]) throw new Fault(`\`base.twins.${twin}\` is of a twin without changes.`);
  const known = new Set<string>();
  for (const action of actions) {
    const { actionId, dependsOn } = fields(action, 'An action');
    const later = (Array.isArray(dependsOn) ? dependsOn : []).find(id => !known.has(id));
    if (later !== undefined)
      throw new Fault(
        `The action ${shown(actionId)} depends on ${shown(later)}, which does not come before it.`,
      );
    known.add(text(actionId, 'actionId'));
  }
  if (canonical(actions) !== canonical(derived))
    throw new Fault(
      'The actions are not those of its changes: something else would be performed than was done.',
    );
};

const fields = (
  value: unknown,
  what: string,
  known?: readonly string[],
): { readonly [name: string]: unknown } => {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Fault(`${what} is no object.`);
  const other = known === undefined ? undefined : Object.keys(value).find(name => !known.includes(name));
  if (other !== undefined) throw new Fault(`${what} has an unknown field “${other.slice(0, 64)}”.`);
  return value as { readonly [name: string]: unknown };
};

const text = (value: unknown, what: string): string => {
  if (typeof value !== 'string') throw new Fault(`\`${what}\` is a text.`);
  return value;
};

const shown = (value: unknown): string =>
  (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, 64);

/** A text, and nothing that would become one: a list of one text reads as that text. */
const isHex = (value: unknown, digits: number): value is string =>
  typeof value === 'string' && value.length === digits && /^[0-9a-f]*$/.test(value);

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

const instant = (value: unknown, what: string): void => {
  if (
    parseInstant(text(value, what)) === null ||
    !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value as string)
  )
    throw new Fault(`\`${what}\` is an instant in ISO 8601.`);
};
