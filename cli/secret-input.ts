// Secrets as a person or a program gives them: typed without being shown, or by standard input, a line each. Never an
// argument, which every process of the machine can read, and which shells remember.
import { SECRET_INPUT_CHARS_MAX } from './limits.ts';

export type SecretSource = {
  readonly stdin: NodeJS.ReadableStream & {
    readonly isTTY?: boolean;
    setRawMode?(raw: boolean): unknown;
  };
  /** Where it is asked for: never the output that a program reads. */
  readonly stderr: { write(text: string): unknown };
};

export type Secrets =
  | { readonly ok: true; readonly secrets: readonly string[] }
  | { readonly ok: false; readonly why: string };

/** One for each question. */
export async function readSecrets(source: SecretSource, questions: readonly string[]): Promise<Secrets> {
  const secrets = source.stdin.isTTY === true ? await typed(source, questions) : await piped(source);
  if (secrets === null) return { ok: false, why: 'it was given up; nothing was changed' };
  if (secrets.some(secret => secret.length > SECRET_INPUT_CHARS_MAX))
    return { ok: false, why: `a secret has at most ${SECRET_INPUT_CHARS_MAX} characters` };
  if (secrets.length !== questions.length || secrets.includes(''))
    return {
      ok: false,
      why:
        questions.length === 1
          ? 'standard input holds one line, the secret'
          : `standard input holds ${questions.length} lines: ${questions.join(', then ')}`,
    };
  return { ok: true, secrets };
}

async function piped({ stdin }: SecretSource): Promise<readonly string[]> {
  let text = '';
  for await (const chunk of stdin.setEncoding('utf8') as AsyncIterable<string>) {
    text += chunk;
    if (text.length > 4 * SECRET_INPUT_CHARS_MAX) break;
  }
  return text.replace(/\r?\n$/, '').split(/\r?\n/);
}

/** Null when whoever types gives up. */
async function typed(source: SecretSource, questions: readonly string[]): Promise<readonly string[] | null> {
  const { stdin, stderr } = source;
  stdin.setEncoding('utf8');
  stdin.setRawMode?.(true);
  stdin.resume();
  try {
    const secrets: string[] = [];
    let left = '';
    for (const question of questions) {
      stderr.write(`${question} (not shown): `);
      const line = await typedLine(stdin, left);
      stderr.write('\n');
      if (line === null) return null;
      secrets.push(line.text);
      left = line.left;
    }
    return secrets;
  } finally {
    stdin.setRawMode?.(false);
    stdin.pause();
  }
}

const GIVEN_UP = /[\u0003\u0004]/;
const ERASES = /[\u007f\b]/;
const ERASES_ALL = '\u0015';

/** `left`: what was typed, or pasted, after the end of the line. */
function typedLine(
  stdin: SecretSource['stdin'],
  before: string,
): Promise<{ readonly text: string; readonly left: string } | null> {
  return new Promise(resolve => {
    let text = '';
    const end = (result: Parameters<typeof resolve>[0]): void => {
      stdin.off('data', take);
      stdin.off('end', stop);
      resolve(result);
    };
    const stop = (): void => end(null);
    const take = (chunk: string | Buffer): void => {
      const typedText = String(chunk);
      for (const [at, letter] of [...typedText].entries()) {
        if (GIVEN_UP.test(letter)) return end(null);
        if (letter === '\r' || letter === '\n')
          return end({ text, left: [...typedText].slice(at + 1).join('') });
        if (letter === ERASES_ALL) text = '';
        else if (ERASES.test(letter)) text = text.slice(0, -1);
        else text += letter;
      }
    };
    stdin.on('data', take);
    stdin.on('end', stop);
    if (before !== '') take(before);
  });
}
