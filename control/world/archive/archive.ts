// A world as a text that any host gives out and takes in (4.10, 4.11): lines of JSON in parts, each of which says its number
// and holds the hash of all before it, so that what is cut short, out of order or twisted is known where it begins. The
// first part is the header, which says what there is, before anything of it is read; the last says that it ends.
//
// `{"part":…}` ends a part. Between: `{"world":…}` whose lines follow, `{"table":…,"columns":…}` and a list for each of its
// rows, `{"browser":…}`, `{"handlers":…}`, `{"blob":…}`.
import { toBase64 } from '../../../twins/kit/base64.ts';
import type { Digest } from '../../ports/digest.ts';
import type { Sealed } from '../../ports/sealer.ts';
import type { SqlValue } from '../../ports/sql.ts';
import { fromBase64 } from '../seals/envelope.ts';
import { hex } from '../store/identifier.ts';
import type { Tips } from '../store/tips.ts';

/** Of the text's form; a program reads no later one. */
export const ARCHIVE_VERSION = 1;

/** A sealed credential as its row has it. It opens where the same key or vault is, under the same name of its world. */
export type ArchivedSeal = Sealed & {
  /** A vendor, a link, or the origin. */
  readonly ref: string;
  readonly rev: number;
  readonly at: number;
};

/** A world, or one of its branches. */
export type ArchivedWorld = {
  /** `<org>/<world>`. */
  readonly name: string;
  /** The world that it left, which stands before it; null for the first. */
  readonly parent: string | null;
  /** Wall time; null for what stays until it is removed. */
  readonly expires: number | null;
  readonly positions: Tips;
  /** In all tables. */
  readonly rows: number;
  /** Larger than what a row holds. */
  readonly blobs: { readonly count: number; readonly bytes: number };
  readonly seals: readonly ArchivedSeal[];
};

/** `vendor`: the name of its place. `twin`: one that ships, by its name. */
export type ArchivedTwin = { readonly vendor: string; readonly twin: string };

/** What does not come along, or is not what it was, in words. */
export type Left = {
  readonly world: string;
  readonly what: 'credential' | 'twin' | 'file' | 'setting' | 'access';
  readonly name: string;
  readonly why: string;
};

export type ArchiveHeader = {
  readonly version: number;
  /** Of the stores (store/schema.ts). */
  readonly schema: number;
  /** ISO 8601, wall time: the moment that it is of. */
  readonly at: string;
  readonly twins: readonly ArchivedTwin[];
  /** The world itself first. */
  readonly worlds: readonly ArchivedWorld[];
  /** Of what the world has where it is given out. */
  readonly left: readonly Left[];
};

/** Where a reader or a writer is in it. */
export type ArchivePlace = {
  /** Number of the next part. */
  readonly n: number;
  /** Hex of the hash of all before it; empty before the first. */
  readonly sum: string;
};

export const ARCHIVE_START: ArchivePlace = { n: 0, sum: '' };
export const ARCHIVE_END = '{"end":true}';

export type ArchivePart = { readonly text: string; readonly after: ArchivePlace };

/** `body`: lines, each with its end. */
export const closePart = (
  body: string,
  { n, sum }: ArchivePlace,
  digest: Pick<Digest, 'sha256'>,
): ArchivePart => {
  const next = hex(digest.sha256(`${sum}\n${n}\n${body}`));
  return { text: `${body}{"part":${n},"sum":"${next}"}\n`, after: { n: n + 1, sum: next } };
};

export type ReadPart =
  | { readonly ok: true; readonly body: string; readonly after: ArchivePlace }
  /** `order`: another part comes here. */
  | { readonly ok: false; readonly why: 'twisted' | 'order'; readonly message: string };

const TRAILER = /^\{"part":(\d{1,9}),"sum":"([0-9a-f]{64})"\}$/;

export const readPart = (
  text: string,
  { n, sum }: ArchivePlace,
  digest: Pick<Digest, 'sha256'>,
): ReadPart => {
  const whole = text.endsWith('\n') ? text.slice(0, -1) : text;
  const cut = whole.lastIndexOf('\n') + 1;
  const [, number, said] = TRAILER.exec(whole.slice(cut)) ?? [];
  if (number === undefined) return twisted(`part ${n} has no end`);
  if (Number(number) !== n)
    return { ok: false, why: 'order', message: `Part ${n} comes here, and this is part ${number}.` };
  const body = whole.slice(0, cut);
  const { after } = closePart(body, { n, sum }, digest);
  if (after.sum !== said) return twisted(`part ${n} is not what it was when it was written`);
  return { ok: true, body, after };
};

const twisted = (why: string): Extract<ReadPart, { ok: false }> => ({
  ok: false,
  why: 'twisted',
  message: `The archive is damaged: ${why}.`,
});

/** A value of a row; bytes are an object, which no value of a row is. */
export const cellOf = (value: SqlValue): unknown =>
  value instanceof Uint8Array ? { b64: toBase64(value) } : value;

/** Undefined for what no cell is. */
export const readCell = (cell: unknown): SqlValue | undefined => {
  if (cell === null || typeof cell === 'string' || typeof cell === 'number') return cell;
  const { b64 } = (cell ?? {}) as { b64?: unknown };
  return typeof b64 === 'string' ? (fromBase64(b64) ?? undefined) : undefined;
};

/** The header as the first part's lines. */
export const headerText = ({ worlds, ...header }: ArchiveHeader): string => {
  const told = worlds.map(({ seals, ...world }) => ({ ...world, seals: seals.map(sealCell) }));
  return `${JSON.stringify({ wrld: 'archive', ...header, worlds: told })}\n`;
};

const sealCell = ({ iv, ciphertext, ...seal }: ArchivedSeal): object => ({
  ...seal,
  iv: cellOf(iv),
  ciphertext: cellOf(ciphertext),
});
