// The answers of a twin of language models, held against what its vendor's SDK declares as always there.
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { modelledIn } from '../../scripts/llm-gaps.ts';
import { LlmTypes } from '../../scripts/llm-types.ts';
import { openLlmWorld } from '../kit/llm-world.ts';
import { callAnthropic, callOpenai } from './llm-calls.ts';

type Heard = { readonly method: string; readonly path: string; readonly answer: unknown };

/** Every answer in JSON to what `llm-calls.ts` asks of a world. */
async function hear(vendor: 'openai' | 'anthropic'): Promise<readonly Heard[]> {
  await using made = await openLlmWorld(vendor);
  const heard: Heard[] = [];
  const listening: typeof fetch = async (input, init) => {
    const answer = await made.fetch(input, init);
    const { pathname, protocol } = new URL(input instanceof Request ? input.url : input);
    // The SDK asks its `fetch` for `data:,` to see what it is.
    if (protocol === 'data:') return answer;
    if (answer.headers.get('content-type')?.startsWith('application/json') === true)
      heard.push({ method: init?.method ?? 'GET', path: pathname, answer: await answer.clone().json() });
    return answer;
  };
  const options = { apiKey: 'sk-test', fetch: listening, maxRetries: 0 };
  if (vendor === 'openai') await callOpenai(new OpenAI(options));
  else await callAnthropic(new Anthropic(options));
  return heard;
}

export type Whole = { readonly of: number; readonly good: number; readonly failed: readonly string[] };

/** What the SDK declares and its vendor does not answer, as its documentation shows. */
const LOOSE: { readonly [operation: string]: RegExp } = {
  // What a user said is stored as well.
  'chat.completions.messages.list': /\.(?:refusal|role)\b/,
  'messages.create': /\.citations is missing$/,
};

/** Answers, and those that lack nothing. */
export async function wholeLlm(vendor: 'openai' | 'anthropic'): Promise<Whole> {
  const types = new LlmTypes(vendor);
  const operations = modelledIn(vendor).map(each => ({
    ...each,
    form: new RegExp(`^${each.route.replaceAll('{}', '[^/]+')}$`),
  }));
  const failed = new Set<string>();
  let [of, good] = [0, 0];
  for (const { method, path, answer } of await hear(vendor)) {
    const name = operations.find(({ form }) => form.test(`${method.toUpperCase()} ${path}`))?.name ?? path;
    const faults = types.faultsOf(name, answer)?.filter(fault => LOOSE[name]?.test(fault) !== true);
    of += 1;
    if (faults?.length === 0) good += 1;
    else for (const fault of faults ?? ['nothing is declared of it']) failed.add(`${name}: ${fault}`);
  }
  return { of, good, failed: [...failed] };
}
