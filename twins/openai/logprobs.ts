// How sure a model was of its words, where a request asks for it: of each of its own, and of others that it did not say.
import type { JsonObject } from '../kit/json.ts';

/** What is never said stands below what was, each a little less likely. */
const OTHERS = wordsUnsaid();
const UNSAID_FROM = -8;

/** `top`: how many are told of at each place, what was said among them. */
export function logprobsOf(text: string, top: number): readonly JsonObject[] {
  return (text.match(/\s*\S+|\s+$/g) ?? []).map(token => ({
    ...sure(token, 0),
    top_logprobs: [token, ...OTHERS.filter(other => other !== token)]
      .slice(0, top)
      .map((each, at) => sure(each, at === 0 ? 0 : UNSAID_FROM - at)),
  }));
}

const sure = (token: string, logprob: number): JsonObject => ({
  token,
  logprob,
  bytes: [...new TextEncoder().encode(token)],
});

/** More of them than any request may ask for. */
function wordsUnsaid(): readonly string[] {
  return [...'ABCDEFGHIJKLMNOPQRSTU'].map(letter => ` ${letter}`);
}
