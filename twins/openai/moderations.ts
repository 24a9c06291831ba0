// Moderations: a few plain words flag a text, so that both outcomes can be had on purpose.
import { arrayField, field, type JsonObject, textField } from '../kit/json.ts';
import type { ModelAsk, ModelOperation, ModelOutcome } from '../kit/model-api.ts';
import { missing } from './errors.ts';

/** Category → words that flag it; the longer names are flagged with their own words besides. */
const WORDS: { readonly [category: string]: RegExp | null } = {
  harassment: /\b(idiot|moron|loser|worthless)\b/i,
  'harassment/threatening': /\b(i will|i'll|going to) (hurt|kill|find) you\b/i,
  sexual: /\b(sexual|porn|erotic)\b/i,
  hate: /\b(hate speech|subhuman|vermin)\b/i,
  'hate/threatening': /\bexterminate (them|all)\b/i,
  illicit: /\b(shoplift|counterfeit|launder money)\b/i,
  'illicit/violent': /\b(build|make) a (bomb|weapon)\b/i,
  'self-harm/intent': /\b(kill|hurt|harm) myself\b/i,
  'self-harm/instructions': /\bhow to (kill|hurt|harm) (myself|yourself)\b/i,
  'self-harm': /\b(suicide|self-harm|(kill|hurt|harm) (myself|yourself))\b/i,
  'sexual/minors': null,
  violence: /\b(kill|murder|stab|shoot|bomb)\b/i,
  'violence/graphic': /\b(gore|dismember|mutilate)\b/i,
};
const IMAGES = new Set([
  'self-harm',
  'self-harm/instructions',
  'self-harm/intent',
  'sexual',
  'violence',
  'violence/graphic',
]);
const FLAGGED_SCORE = 0.95;
const QUIET_SCORE = 0.00001;

const create = ({ body, tx }: ModelAsk): ModelOutcome => {
  const input = field(body, 'input');
  if (input === undefined) throw missing('input');
  const model = textField(body, 'model') ?? 'omni-moderation-latest';
  const inputs = typeof input === 'string' ? [{ text: input, image: false }] : inputsOf(body);
  return { json: { id: tx.id('modr-', 29), model, results: inputs.map(resultOf) } };
};

/** Texts each by itself; parts of one message together. */
function inputsOf(body: JsonObject): readonly { readonly text: string; readonly image: boolean }[] {
  const all = arrayField(body, 'input');
  if (all.every(each => typeof each === 'string')) return all.map(text => ({ text, image: false }));
  const text = all.map(part => textField(part, 'text') ?? '').join('\n');
  return [{ text, image: all.some(part => textField(part, 'type') === 'image_url') }];
}

function resultOf({ text, image }: { readonly text: string; readonly image: boolean }): object {
  const flags = Object.entries(WORDS).map(([name, words]) => [name, words?.test(text) === true] as const);
  return {
    flagged: flags.some(([, flagged]) => flagged),
    categories: Object.fromEntries(flags),
    category_scores: Object.fromEntries(flags.map(([name, on]) => [name, on ? FLAGGED_SCORE : QUIET_SCORE])),
    category_applied_input_types: Object.fromEntries(
      flags.map(([name]) => [name, image && IMAGES.has(name) ? ['text', 'image'] : ['text']]),
    ),
  };
}

export const MODERATIONS: readonly ModelOperation[] = [
  { method: 'POST', path: '/v1/moderations', name: 'moderations.create', run: create },
];
