// What the twins of language models leave out inside of what they model, counted from their source by the declarations of
// their vendors' SDKs.
import { type Counted, constantsOf } from './constants.ts';
import type { Coverage } from './coverage.ts';
import { anthropicCoverage, openaiCoverage } from './llm-coverage.ts';
import { LlmTypes } from './llm-types.ts';
import { reachOf, type Source, sourcesOf } from './reach.ts';

type LlmVendor = 'openai' | 'anthropic';

const COVERAGES: { readonly [vendor in LlmVendor]: () => Coverage } = {
  openai: openaiCoverage,
  anthropic: anthropicCoverage,
};
/** The field that says what an object is. */
const TAGS = { openai: 'object', anthropic: 'type' } as const;

/** The names that a twin takes are written in such lists: that it reads them is written elsewhere. */
const NAME_LISTS = /wordsIn\(\s*`[^`]*`/g;
/** Where whatever name is not known is refused. */
const REFUSES =
  /Unrecognized request argument|Unknown parameter: '\$\{name\}'|Extra inputs are not permitted/;
/** What an operation hands to another one. */
const HANDED: { readonly [operation: string]: string } = { 'messages.batches.create': 'messages.create' };

/** The SDK takes these beside the others, and puts them in the path. */
const PLACES: ReadonlySet<string> = new Set(['conversation_id', 'run_id', 'thread_id', 'vector_store_id']);

export function llmGaps(vendor: LlmVendor): {
  readonly refused: Counted;
  readonly ignored: Counted;
  readonly constants: Counted;
} {
  const types = new LlmTypes(vendor);
  const sources = sourcesOf(vendor);
  const refused: string[] = [];
  const ignored: string[] = [];
  let of = 0;
  const modelled = modelledIn(vendor);
  for (const { name, method } of modelled) {
    const reach = [name, HANDED[name] ?? name].flatMap(each => reachOf(each, sources));
    const [read, known] = [namesIn(reach, NAME_LISTS), namesIn(reach)];
    const refuses = method === 'POST' && reach.some(({ text }) => REFUSES.test(text));
    const family = modelled.filter(each => rootOf(each.name) === rootOf(name));
    const shown = new Set(family.flatMap(each => [...types.shownBy(each.name)]));
    const out: string[] = [];
    for (const { path, last } of types.parametersOf(name)) {
      // What is inside of one that is left out is left out with it.
      if (out.some(each => path.startsWith(`${each}.`) || path.startsWith(`${each}[]`))) continue;
      if (PLACES.has(path)) continue;
      of += 1;
      if (read.has(last) || shown.has(last)) continue;
      out.push(path);
      const isTold = refuses && !path.includes('.') && !known.has(last);
      (isTold ? refused : ignored).push(`${name}: ${path}`);
    }
  }
  const tag = TAGS[vendor];
  return {
    refused: { of, missing: refused.sort() },
    ignored: { of: of - refused.length, missing: ignored.sort() },
    constants: constantsOf(sources, { tag, fieldsOf: word => types.fieldsOf(tag, word) }),
  };
}

/** What is stored of one is shown by the others. */
const rootOf = (name: string): string => /^(?:beta\.)?[^.]+/.exec(name)?.[0] ?? name;

/** By the one of its names that is not of a beta. */
export const modelledIn = (
  vendor: LlmVendor,
): readonly { readonly name: string; readonly method: string; readonly route: string }[] =>
  COVERAGES[vendor]()
    .operations.filter(({ tier }) => tier === 'modelled')
    .map(({ names, route }) => ({
      name: names.find(name => !name.startsWith('beta.')) ?? names[0] ?? '',
      method: route.split(' ')[0] ?? '',
      route,
    }));

const namesIn = (sources: readonly Source[], without?: RegExp): ReadonlySet<string> =>
  new Set(
    sources.flatMap(
      ({ text }) => (without === undefined ? text : text.replaceAll(without, '')).match(/\w+/g) ?? [],
    ),
  );
