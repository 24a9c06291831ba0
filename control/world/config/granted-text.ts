// `.wrld/world.json` with one grant more: its order, its indentation and its line ends are those of whoever wrote it.
import { applyEdits, modify } from 'jsonc-parser';
import type { NarrowestGrant } from '../../../policy/narrowest-grant.ts';
import { parseWorldConfig } from './config.ts';

export type GrantedText =
  | { readonly ok: true; readonly text: string; readonly lines: readonly ChangedLine[] }
  | { readonly ok: false; readonly why: 'listed' | 'unreadable' };

/** A line of the file around the change, as it was, is, or stays. */
export type ChangedLine = { readonly is: 'kept' | 'removed' | 'added'; readonly text: string };

/** Lines around a change that say where it is. */
const AROUND = 2;

export function grantedText(source: string, { list, text: grant }: NarrowestGrant): GrantedText {
  const before = parseWorldConfig(source);
  if (!before.ok) return { ok: false, why: 'unreadable' };
  if (before.config.network[list].includes(grant)) return { ok: false, why: 'listed' };
  const tab = /^\t/m.test(source);
  const indent = /^( +)\S/m.exec(source)?.[1]?.length ?? 2;
  const formattingOptions = {
    insertSpaces: !tab,
    tabSize: tab ? 1 : indent,
    eol: source.includes('\r\n') ? '\r\n' : '\n',
  };
  const edits = modify(source, ['runtime', 'network', list, -1], grant, {
    isArrayInsertion: true,
    // What stands on one line stays on it.
    ...(source.trim().includes('\n') && { formattingOptions }),
  });
  const text = applyEdits(source, edits);
  const after = parseWorldConfig(text);
  if (!after.ok || !after.config.network[list].includes(grant)) return { ok: false, why: 'unreadable' };
  return { ok: true, text, lines: changedLines(source, text) };
}

const changedLines = (before: string, after: string): ChangedLine[] => {
  const was = before.split(/\r?\n/);
  const is = after.split(/\r?\n/);
  let top = 0;
  while (top < was.length && top < is.length && was[top] === is[top]) top += 1;
  let end = 0;
  while (end < was.length - top && end < is.length - top && was.at(-1 - end) === is.at(-1 - end)) end += 1;
  const kept = (lines: readonly string[]): ChangedLine[] => lines.map(text => ({ is: 'kept', text }));
  return [
    ...kept(is.slice(Math.max(0, top - AROUND), top)),
    ...was.slice(top, was.length - end).map((text): ChangedLine => ({ is: 'removed', text })),
    ...is.slice(top, is.length - end).map((text): ChangedLine => ({ is: 'added', text })),
    ...kept(is.slice(is.length - end, is.length - end + AROUND)),
  ];
};
