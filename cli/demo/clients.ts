// The demo's other clients: programs that know nothing of wrld and read their proxy from the environment.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { RefusalRecord } from '../../policy/refusal.ts';
import { DEMO_CLIENT_MS_MAX } from '../limits.ts';
import type { Stage } from './stage.ts';

type Environment = { readonly [name: string]: string | undefined };

export async function readAsOthersDo(
  stage: Stage,
  environment: Environment,
  customer: string,
): Promise<void> {
  const url = `https://api.stripe.com/v1/customers/${customer}`;
  const clients = [
    { name: 'curl', program: 'curl', args: ['-sS', '--fail', '-u', 'sk_test_shop:', url] },
    { name: 'python3', program: 'python3', args: ['-c', PYTHON, url] },
  ];
  const reads = await Promise.all(clients.map(({ program, args }) => output(program, args, environment)));
  for (const [index, { name }] of clients.entries()) {
    const read = reads[index]!;
    if (read === null) {
      stage.skipped(`no ${name}`);
      continue;
    }
    const { id, email, name: who } = JSON.parse(read) as { id: string; email: string; name: string };
    if (id !== customer) throw new Error(`${name} read ${id} and not ${customer}`);
    stage.good(`${name.padEnd(9)}${id}  ${who} <${email}>`);
  }
}

const PYTHON = `
import base64, sys, urllib.request
key = base64.b64encode(b"sk_test_shop:").decode()
request = urllib.request.Request(sys.argv[1], headers={"Authorization": "Basic " + key})
print(urllib.request.urlopen(request, timeout=15).read().decode())
`;

const REFUSED = [
  { method: 'GET', url: 'https://tracker.example.com/pixel', why: 'A host that nobody granted' },
  { method: 'POST', url: 'https://rates.example.com/v1/rates', why: 'A write, where only reads are granted' },
  {
    method: 'GET',
    url: 'https://api.stripe.com/v9/customers',
    why: 'The twin’s host, but a path that no twin serves',
  },
] as const;

/** `record` null: it was not refused, and `message` is its status. */
type Answer = { readonly message: string; readonly record: RefusalRecord | null };

/** One Node process with its own fetch makes the three requests, as any app would. */
const FETCH = `
const asked = JSON.parse(process.argv[1]);
const answers = [];
for (const { method, url } of asked) {
  const { message, worldRefusal: record = null } = await fetch(url, { method }).then(
    answer => ({ message: 'status ' + answer.status }),
    error => error,
  );
  answers.push({ message, record });
}
console.log(JSON.stringify(answers));
`;

export async function refusedRequests(stage: Stage, environment: Environment): Promise<void> {
  const args = ['--input-type=module', '-e', FETCH, JSON.stringify(REFUSED)];
  const answers = JSON.parse(
    (await output(process.execPath, args, environment)) ?? '[]',
  ) as readonly Answer[];
  for (const [index, { method, url, why }] of REFUSED.entries()) {
    const answer = answers[index];
    const record = answer?.record ?? null;
    if (record === null) throw new Error(`${method} ${url} was not refused: ${answer?.message}`);
    if (index > 0) stage.line('');
    stage.bad(why);
    stage.fact('request', `${method} ${url}`);
    stage.fact('answer', 'an Error, with this in error.worldRefusal (other languages: 502 Bad Gateway)');
    for (const [name, value] of Object.entries(record)) {
      if (name === 'kind' || name === 'version' || name === 'target') continue;
      stage.fact(FIELD_NAMES[name] ?? name, typeof value === 'string' ? value : JSON.stringify(value));
    }
  }
}

const FIELD_NAMES: { readonly [field: string]: string } = { capability: 'needs', grantField: 'fix in' };

/** What the program printed; null where there is no such program. Throws when it failed. */
async function output(program: string, args: readonly string[], env: Environment): Promise<string | null> {
  try {
    const { stdout } = await promisify(execFile)(program, [...args], { env, timeout: DEMO_CLIENT_MS_MAX });
    return stdout;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
