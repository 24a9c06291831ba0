// A tool as a model sees it: what it is for, what it takes, and what it answers of the world that it is asked about.
import type { ReachedWorld } from '../reached-world.ts';
import { problemOf } from '../reached-world.ts';
import type { Answered } from '../world-client.ts';
import type { Worlds } from './worlds.ts';

export type Arguments = { readonly [name: string]: unknown };

/** `value`: a text as it is, anything else as JSON. */
export type Told =
  | { readonly ok: true; readonly value: unknown }
  | {
      readonly ok: false;
      readonly why: string;
      /** What to do about it, where somebody knows better than the tool. */
      readonly next?: string;
    };

export type Asked = {
  readonly world: ReachedWorld;
  readonly args: Arguments;
  /** For tools that bring worlds about. */
  readonly worlds: Worlds;
};

export type Tool = {
  readonly name: string;
  readonly title: string;
  /** For a model that never saw wrld. */
  readonly description: string;
  /** JSON Schemas by name; each tool takes `branch` besides, where that is not said otherwise. */
  readonly takes: { readonly [name: string]: object };
  readonly needs?: readonly string[];
  /** Changes the world: there only with `--write`. */
  readonly writes?: true;
  /** Nothing is lost by it, and doing it again changes nothing more. */
  readonly again?: true;
  /** What to try when the world refuses. */
  readonly next: string;
  readonly run: (asked: Asked) => Promise<Told>;
};

/** What the world answers, as a tool tells it. */
export function toldBy<T>(answered: Answered, tell: (body: T) => unknown): Told {
  const why = problemOf(answered);
  if (why !== null || !answered.ok) return { ok: false, why: why ?? 'the world does not answer' };
  return { ok: true, value: tell(answered.body as T) };
}

export function textOf(args: Arguments, name: string): string | undefined {
  const value = args[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** As a query: those that are given. */
export function queryOf(args: Arguments, names: readonly string[]): string {
  const query = new URLSearchParams();
  for (const name of names) if (args[name] !== undefined) query.set(name, String(args[name]));
  return query.size === 0 ? '' : `?${query}`;
}
