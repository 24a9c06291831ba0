// Entries in words, as a terminal shows them.
import type { StoryLine } from '../control/world/story/line.ts';
import { instantText, type Output, table } from './output.ts';

export function printStory(output: Output, lines: readonly StoryLine[]): void {
  for (const line of table(output, ['at', 'twin', 'pos', 'what', 'who', 'in words'], lines.map(storyCells)))
    output.line(line);
}

export function storyCells(line: StoryLine): string[] {
  const { twin, position, kind, occurredAt, caller, actor, text, records } = line;
  const more = records.length > 1 ? ` and ${records.length - 1} more` : '';
  return [instantText(occurredAt), twin, String(position), kind, caller ?? actor, told(`${text}${more}`)];
}

/** A record is a stranger's: what a terminal would act on is not told. */
export const told = (text: string): string => text.replaceAll(/\p{Cc}/gu, '�');
