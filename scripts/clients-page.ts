// docs/clients.md: what each client is answered and refused in each way of being in a world, as the clients' suite saw it.
import { readFile } from 'node:fs/promises';

/** By check: `twin`, `refusal`, `grant`, `up`, `events`, `trust`, `loopback`, `slips`; what is missing cannot be asked of it. */
export type Saw = { readonly [check: string]: boolean };

export type ClientsTable = {
  readonly ways: { readonly [way: string]: { readonly [client: string]: Saw } };
};

const FILE = new URL('../test/clients/table.json', import.meta.url);

/** Every client that a row is kept for; `by`: how it asks, and how it passes proxies by. */
const CLIENTS: readonly (readonly [client: string, name: string, by: string])[] = [
  ['curl', 'curl', '`--noproxy "*"`'],
  ['wget', 'wget', '`--no-proxy`'],
  ['git', 'git', '`-c http.proxy=`'],
  ['python', 'Python', 'urllib; `http.client`'],
  ['go', 'Go', 'the default client; a `&http.Transport{}`'],
  ['java', 'Java', 'HttpClient; one with `NO_PROXY`'],
  ['ruby', 'Ruby', 'Net::HTTP; one with a nil proxy'],
  ['php', 'PHP', 'streams of the default context; one with a context of its own'],
  ['rust', 'Rust', 'its standard library has no HTTP'],
  ['node', 'Node', 'fetch; `http.get` with an agent of its own'],
  ['bun', 'bun', 'fetch; `http.get` with an agent of its own'],
  ['deno', 'deno', 'fetch; `http.get` with an agent of its own'],
  ['chromium', 'Chromium', 'a page that is opened; `--no-proxy-server`'],
];

const CHECKS: readonly (readonly [check: string, head: string])[] = [
  ['twin', 'twin'],
  ['refusal', 'refusal'],
  ['grant', 'grant'],
  ['up', '50 MB up'],
  ['events', 'SSE'],
  ['trust', 'trust'],
  ['loopback', 'loopback'],
  ['slips', 'slips past'],
];

const WAYS: readonly (readonly [way: string, title: string])[] = [
  ['contained', 'Contained: `wrld world run` on Linux'],
  ['open', 'Variables and hooks: `wrld world run --open`, and wherever a run cannot be contained'],
  ['attached', 'Remote attach: `wrld-world attach <world URL> -- <command>`'],
];

export async function makeClientsPage(): Promise<string> {
  const table = JSON.parse(await readFile(FILE, 'utf8')) as ClientsTable;
  const head = ['client', ...CHECKS.map(([, name]) => name)];
  return [
    '# What each client sees of a world',
    '',
    'Written by `npm run generate` of what `npm run test:clients` saw. Do not edit.',
    '',
    ...WAYS.flatMap(([way, title]) => [
      `## ${title}`,
      '',
      `| ${head.join(' | ')} |`,
      `|${head.map(() => '---').join('|')}|`,
      ...CLIENTS.map(([client, name]) => rowOf(name, table.ways[way]?.[client])),
      '',
    ]),
    '## What is asked',
    '- **twin**: `https://api.stripe.com`, with verification on, is answered by the Stripe twin.',
    '- **refusal**: a host that nobody granted is refused, and what the client says of it names the rule.',
    '- **grant**: an origin that the world grants answers itself. A world that is served without a proxy grants nothing to',
    '  who attaches to it, and the refusal says so.',
    '- **50 MB up**: a body of that size reaches the granted origin whole.',
    '- **SSE**: a stream of events from there comes whole.',
    '- **trust**: a server whose authority nobody knows is not believed.',
    '- **loopback**: what listens on this machine’s loopback is reached as without a world.',
    '- **slips past**: **yes** where the client, told to ask for no proxy, reached somebody outside.',
    '',
    '| client | asks by; and, for the last column, by |',
    '|---|---|',
    ...CLIENTS.map(([, name, by]) => `| ${name} | ${by} |`),
    '',
    '“–”: the client has no such thing. “not tried here”: it was not on the machine that wrote this.',
    '',
  ].join('\n');
}

function rowOf(name: string, saw: Saw | undefined): string {
  const cells =
    saw === undefined
      ? ['not tried here', ...CHECKS.slice(1).map(() => '')]
      : CHECKS.map(([check]) => (saw[check] === undefined ? '–' : cellOf(check, saw[check])));
  return `| ${[name, ...cells].join(' | ')} |`;
}

function cellOf(check: string, saw: boolean): string {
  const word = saw ? 'yes' : 'no';
  // What is not as one would wish.
  return saw === (check === 'slips') ? `**${word}**` : word;
}
