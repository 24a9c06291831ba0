import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import t from 'tap';
import { readSecrets } from '../../cli/secret-input.ts';
import { COMMAND_MS_MAX, cleanEnv, wrldWords } from '../kit/command-line.ts';

const QUESTIONS = ['The credential of stripe', 'The signing secret of stripe'];

const piped = (given: string, questions = QUESTIONS.slice(0, 1)) => {
  const stdin = new PassThrough();
  stdin.end(given);
  return readSecrets({ stdin, stderr: { write: () => t.fail('nobody is asked') } }, questions);
};

t.test('standard input holds a line for each secret', async t => {
  t.strictSame(await piped('sk_1\n'), { ok: true, secrets: ['sk_1'] });
  t.strictSame(await piped('sk_1'), { ok: true, secrets: ['sk_1'] });
  t.strictSame(await piped('sk_1\r\nwhsec_1\r\n', QUESTIONS), { ok: true, secrets: ['sk_1', 'whsec_1'] });
  for (const wrong of ['', '\n', 'a\nb\n', 'a\n\n'])
    t.match(await piped(wrong), { ok: false, why: /one line/ });
  t.match(await piped('a\n', QUESTIONS), { ok: false, why: /2 lines/ });
  t.match(await piped('x'.repeat(20_000)), { ok: false, why: /at most/ });
});

t.test('what is typed is not shown; it is mended, pasted and given up as one expects', async t => {
  const typed = async (keys: string) => {
    const modes: boolean[] = [];
    const stdin = Object.assign(new PassThrough(), {
      isTTY: true,
      setRawMode: (raw: boolean) => modes.push(raw),
    });
    let shown = '';
    stdin.write(keys);
    const read = await readSecrets({ stdin, stderr: { write: more => (shown += String(more)) } }, QUESTIONS);
    t.strictSame(modes, [true, false], 'the terminal is as it was');
    return { read, shown };
  };
  const { read, shown } = await typed('sk_x\u007f1\rwrong\u0015whsec_1\r');
  t.strictSame(read, { ok: true, secrets: ['sk_1', 'whsec_1'] });
  t.equal(shown, 'The credential of stripe (not shown): \nThe signing secret of stripe (not shown): \n');
  t.match((await typed('sk_1\r\u0003')).read, { ok: false, why: /given up/ });
  t.match((await typed('\u0004')).read, { ok: false });
});

t.test('[2.9] the command sends what standard input holds, and says nothing of it', async t => {
  const got: string[] = [];
  const world = createServer(async (request, response) => {
    got.push(`${request.method} ${request.url} ${await text(request)}`);
    response.setHeader('content-type', 'application/json');
    response.end(
      '{"sealed":true,"at":"2026-01-01T00:00:00.000Z","sealedBy":"key","boundTo":"https://api.stripe.com"}',
    );
  });
  world.listen(0, '127.0.0.1');
  await once(world, 'listening');
  t.teardown(() => void world.close());
  const url = `http://127.0.0.1:${(world.address() as AddressInfo).port}/acme/shop`;
  const env = { ...cleanEnv(), WRLD_WORLD_TOKEN: 'tok_w_x' };
  const run = (input: string, ...args: string[]) =>
    new Promise<{ code: unknown; said: string }>(resolve => {
      const [program = '', ...words] = wrldWords('world', 'credential', 'set', ...args, '--world', url);
      const child = execFile(program, words, { env, timeout: COMMAND_MS_MAX }, (error, out, err) =>
        resolve({ code: error?.code ?? 0, said: out + err }),
      );
      child.stdin!.end(input);
    });
  const set = await run('sk_live_1\nwhsec_1\n', 'stripe', '--signing-secret');
  t.match(set, { code: 0, said: /stripe: sealed for https:\/\/api\.stripe\.com/ });
  const header = await run('k1\n', 'maps', '--header', 'X-Api-Key');
  t.equal(header.code, 0);
  t.strictSame(got, [
    'PUT /-/acme/shop/twins/stripe/credential {"credential":"sk_live_1","signingSecret":"whsec_1"}',
    'PUT /-/acme/shop/twins/maps/credential {"headers":{"X-Api-Key":"k1"}}',
  ]);
  t.notMatch(set.said + header.said, /sk_live|whsec|k1/);
  const argument = await run('', 'stripe', 'sk_live_1');
  t.equal(argument.code, 2, 'an argument is no place for it');
  t.equal((await run('', 'stripe')).code, 2);
  t.equal(got.length, 2);
});
