// Bugs that a world once had, or could have, put back into its source as it is loaded: a simulation that holds with one of
// them in it is worth nothing. `--import` of this file, with WRLD_PUT_BACK naming one.
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

type Bug = {
  readonly file: RegExp;
  /** What is there, and what is put in its place. */
  readonly edits: readonly (readonly [right: string, wrong: string])[];
  /** How it shows. */
  readonly shows: RegExp;
};

export const BUGS: { readonly [name: string]: Bug } = {
  'a refusal ends a webhook': {
    file: /\/work\/delivery-attempt\.ts$/,
    edits: [['ms: answer.ms, final: false', 'ms: answer.ms, final: answer.refused']],
    shows: /given up after 1 of/,
  },
  'what an earlier run left unsent stays so': {
    file: /\/world\/open-world\.ts$/,
    edits: [['parts.deliveries.resume();', '']],
    shows: /it still waits/,
  },
  'a webhook leaves before its cause lasts': {
    file: /\/work\/deliveries\.ts$/,
    edits: [
      ['this.#parts.threshold.once(', '(leave => leave())('],
      ['await threshold.waiting();', ''],
    ],
    shows: /left before its cause lasted/,
  },
  'an answer leaves before it lasts': {
    file: /\/work\/acts\.ts$/,
    edits: [['const waiting = threshold.waiting();', 'const waiting = null as Promise<void> | null;']],
    shows: /before it lasted/,
  },
  'positions of what was lost are remembered': {
    file: /\/world\/world-kernel\.ts$/,
    edits: [['log.forget();', '']],
    shows: /position \d+ after \d+/,
  },
  'an event is dropped when the store fails': {
    file: /\/work\/(catch-up|due-events)\.ts$/,
    edits: [['if (isStoreFailure(error)) throw error;', '']],
    shows: /a due event failed and was dropped/,
  },
};

const name = process.env['WRLD_PUT_BACK'];
const bug = name === undefined ? undefined : BUGS[name];
if (bug !== undefined) {
  registerHooks({
    load: (url, context, next) => {
      if (!bug.file.test(url)) return next(url, context);
      let source = readFileSync(fileURLToPath(url), 'utf8');
      for (const [right, wrong] of bug.edits) {
        if (source.includes(right)) console.log(`put back: ${name}`);
        source = source.replaceAll(right, wrong);
      }
      return { format: 'module-typescript', source, shortCircuit: true };
    },
  });
}
