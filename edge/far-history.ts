// What a branch reads of the world it left, which is another object.
import type { HistorySource } from '../control/world/log/history-source.ts';
import type { Past } from '../control/world/past/past.ts';

type Asked = Exclude<keyof HistorySource, symbol>;

/** The questions, by name; nothing else of a world's is told to another object so. */
const QUESTIONS: ReadonlySet<string> = new Set<Asked>([
  'positionsAt',
  'log',
  'timeline',
  'records',
  'types',
  'recordsBefore',
  'record',
  'due',
  'counts',
  'version',
  'blob',
]);

export type PastQuestion = { readonly question: Asked; readonly args: readonly unknown[] };

/** In the object that is asked. */
export async function answerPast(past: Past, { question, args }: PastQuestion): Promise<unknown> {
  if (!QUESTIONS.has(question)) throw new Error(`no such question: ${question}`);
  // Its large bytes may have to be waited for.
  if (question === 'blob') return (await past.file(String(args[0]))) ?? undefined;
  const { source } = past;
  const answer = source[question].bind(source) as (...args: readonly unknown[]) => unknown;
  return await answer(...args);
}

/** In the object that asks. */
export function farHistory(ask: (asked: PastQuestion) => Promise<unknown>): HistorySource {
  const asks =
    <Name extends Asked>(question: Name) =>
    // What a call of another object gives is no promise of the language, and is to be one for who asks.
    async (...args: Parameters<HistorySource[Name]>): Promise<Awaited<ReturnType<HistorySource[Name]>>> =>
      (await ask({ question, args })) as Awaited<ReturnType<HistorySource[Name]>>;
  return {
    positionsAt: asks('positionsAt'),
    log: asks('log'),
    timeline: asks('timeline'),
    records: asks('records'),
    types: asks('types'),
    recordsBefore: asks('recordsBefore'),
    record: asks('record'),
    due: asks('due'),
    counts: asks('counts'),
    version: asks('version'),
    blob: asks('blob'),
  };
}
