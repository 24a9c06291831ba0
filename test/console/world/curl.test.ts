// A request as a command, read by a real shell: whatever is in it arrives as it was.
import { execFileSync } from 'node:child_process';
import t from 'tap';

// A page's modules have their types in comments, which this program does not read.
type Request = {
  readonly method: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: { readonly bytes: number; readonly text: string | null };
};
const { curlOf } = (await import('../../../console/world/curl.js' as string)) as {
  curlOf(url: string, request: Request): string;
};

const NONE = { bytes: 0, text: null };
const textOf = (text: string) => ({ bytes: text.length, text });

/** What a POSIX shell would start curl with. */
function wordsOf(command: string): readonly string[] {
  const told = execFileSync('/bin/sh', ['-c', `curl() { printf '%s\\0' "$@"; }\n${command}`], {
    encoding: 'utf8',
  });
  return told.split('\0').slice(0, -1);
}

t.test('[4.9] every word reaches curl as it was, whatever is in it', t => {
  const nasty = 'it\'s "$(touch /tmp/no)" `x` \\ \n\t!$HOME *?[a]{b,c};&|<>#~ ü “quoted” \\\n';
  const request = {
    method: 'POST',
    headers: [
      ['content-type', 'text/plain'],
      ['x-note', nasty.replaceAll('\n', '')],
    ],
    body: textOf(nasty),
  } as const;
  t.strictSame(wordsOf(curlOf("https://api.test/a'b?x[]=$y", request)), [
    '--globoff',
    '--path-as-is',
    "https://api.test/a'b?x[]=$y",
    '--request',
    'POST',
    '--header',
    'content-type: text/plain',
    '--header',
    `x-note: ${nasty.replaceAll('\n', '')}`,
    '--data-raw',
    nasty,
  ]);
  t.end();
});

t.test('[4.9] a word stands for the credential, and what curl says itself is left to it', t => {
  const words = wordsOf(
    curlOf('https://api.test/v1', {
      method: 'GET',
      headers: [
        ['Host', 'api.test'],
        ['content-length', '0'],
        ['traceparent', '00-a-b-01'],
        ['authorization', 'Bearer masked-credential'],
        ['cookie', 'a=masked-credential; b=masked-stripe-key'],
        ['x-empty', ''],
      ],
      body: NONE,
    }),
  );
  t.strictSame(words.slice(3), [
    '--header',
    'authorization: Bearer YOUR_CREDENTIAL',
    '--header',
    'cookie: a=YOUR_CREDENTIAL; b=YOUR_CREDENTIAL',
    '--header',
    'x-empty;',
  ]);
  t.end();
});

t.test('[4.9] methods and bodies as they were', t => {
  const ask = (method: string, body: Request['body']) =>
    wordsOf(curlOf('https://a.test/', { method, headers: [], body })).slice(2);
  t.strictSame(ask('HEAD', NONE), ['--head', 'https://a.test/']);
  t.strictSame(ask('GET', NONE), ['https://a.test/']);
  t.strictSame(ask('DELETE', NONE), ['https://a.test/', '--request', 'DELETE']);
  t.strictSame(
    ask('GET', textOf('@x')),
    ['https://a.test/', '--request', 'GET', '--header', 'content-type:', '--data-raw', '@x'],
    'no file is read, and no form is said to be one',
  );
  t.strictSame(ask('PUT', { bytes: 9, text: null }).slice(-2), ['--data-binary', '@body']);
  t.end();
});
