// `wrld mcp` as an agent has it: the protocol's own client, over the standard input and output of a real process.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import t from 'tap';
import { MCP_ANSWER_CHARS_MAX } from '../../../cli/limits.ts';
import { LOOK_TOOLS } from '../../../cli/mcp/look-tools.ts';
import { WRITE_TOOLS } from '../../../cli/mcp/write-tools.ts';
import { cleanEnv, openWorlds, startServe, startUp, wrld, wrldWords } from '../../kit/command-line.ts';

const worlds = await openWorlds();
t.teardown(worlds.remove);

type Session = AsyncDisposable & {
  readonly client: Client;
  readonly err: () => string;
  /** The text of its answer; throws for an error of the tool, with its text. */
  call(name: string, args?: { readonly [name: string]: unknown }): Promise<string>;
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of it
  json(name: string, args?: { readonly [name: string]: unknown }): Promise<any>;
};

async function open(
  folder: string,
  args: readonly string[] = [],
  env: NodeJS.ProcessEnv = {},
): Promise<Session> {
  const [command = '', ...words] = wrldWords('mcp', ...args);
  const whole = Object.entries({ ...cleanEnv(), ...env }).filter(([, value]) => value !== undefined);
  const transport = new StdioClientTransport({
    command,
    args: words,
    cwd: folder,
    env: Object.fromEntries(whole) as { [name: string]: string },
    stderr: 'pipe',
  });
  let err = '';
  transport.stderr?.on('data', text => (err += text));
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
  const call: Session['call'] = async (name, args = {}) => {
    const { content, isError } = await client.callTool({ name, arguments: args });
    const [first] = content as { readonly type: string; readonly text: string }[];
    if (isError === true) throw new Error(first!.text);
    return first!.text;
  };
  return {
    client,
    err: () => err,
    call,
    json: async (name, args) => JSON.parse(await call(name, args)),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

const curl = (folder: string, branch: string | null, path: string, ...form: readonly string[]) =>
  wrld(
    folder,
    ...['world', 'run', ...(branch === null ? [] : ['--branch', branch]), '--', 'curl', '-s'],
    ...[`https://api.stripe.com${path}`, '-u', 'sk_test_x:', ...form.flatMap(field => ['-d', field])],
  );

t.test('an agent’s session: it makes a branch, looks, and cuts', async t => {
  const folder = await worlds.make('session');
  await using _world = await startUp(folder);
  await using agent = await open(folder, ['--write']);

  const { tools } = await agent.client.listTools();
  const names = tools.map(({ name }) => name);
  for (const name of ['status', 'timeline', 'entry', 'report', 'coverage', 'make_branch', 'cut_changeset'])
    t.ok(names.includes(name), name);
  for (const { name, description, inputSchema } of tools) {
    t.ok(description!.length > 10, `${name} says what it is for`);
    t.match(inputSchema, { type: 'object', properties: { branch: { type: 'string' } } }, name);
  }
  t.match(agent.client.getInstructions(), /data, never instructions/);

  t.match(await agent.json('status'), {
    world: 'acme/shop',
    clock: { frozen: false },
    twins: [{ twin: 'stripe' }],
  });
  t.match(await agent.json('coverage', { twin: 'stripe', method: 'POST', path: '/v1/products' }), {
    operations: [{ route: 'POST /v1/products', tier: 'modelled' }],
  });
  t.strictSame((await agent.json('coverage', { twin: 'stripe', path: '/v1/nothing' })).operations, []);

  const { branch, run } = await agent.json('make_branch', { label: 'gold', ttl: 3600 });
  t.match(branch, /^shop-gold-[0-9a-f]{4}$/);
  t.match(run, `wrld world run --branch ${branch} -- <command>`);
  t.equal((await curl(folder, branch, '/v1/products', 'name=Gold')).code, 0);

  const timeline = await agent.json('timeline', { branch });
  t.match(timeline.entries, [{ id: 'stripe:1', kind: 'product.created', request: 'POST /v1/products' }]);
  const entry = await agent.json('entry', { branch, id: 'stripe:1' });
  t.match(entry, { request: { body: 'name=Gold' } });
  const change = entry.changes.find((each: { type: string }) => each.type === 'product');
  t.match(
    change.fields.find((each: { field: string }) => each.field === 'name'),
    { after: 'Gold' },
  );
  t.match(await agent.json('record', { branch, twin: 'stripe', type: 'product', id: change.id }), {
    body: { name: 'Gold' },
  });
  t.match(await agent.json('records', { branch, twin: 'stripe', type: 'product' }), {
    records: [{ id: change.id }],
    next: null,
  });
  t.match(await agent.json('find', { branch, text: 'gold', type: 'product' }), {
    records: [{ id: change.id, title: 'product Gold' }],
    next: null,
  });
  t.match(await agent.json('find', { branch, text: 'GOLD', in: 'entries' }), {
    entries: [{ id: 'stripe:1', kind: 'product.created' }],
    looked: 1,
  });
  t.match(await agent.call('report', { branch }), /<b>created<\/b> product “Gold”/);
  t.match(await agent.json('advance_clock', { branch, by: '1d' }), { frozen: true });

  const cut = await agent.json('cut_changeset', { branch, message: 'Gold plan', name: 'gold' });
  t.match(cut, {
    changeset: { name: 'gold', message: 'Gold plan', cutBy: 'token' },
    actions: [{ method: 'POST', path: '/v1/products', target: { name: 'Gold' } }],
  });
  t.match(await agent.json('changesets', { branch, name: 'gold' }), { entries: 1 });
  t.strictSame((await agent.json('timeline')).entries, [], 'the world itself is as it was');

  await t.test('resources', async t => {
    const map = await agent.client.readResource({ uri: 'wrld://map' });
    t.match(JSON.parse((map.contents[0] as { text: string }).text), { twins: [{ twin: 'stripe' }] });
    t.match((await agent.client.listResourceTemplates()).resourceTemplates, [
      { uriTemplate: 'wrld://entries/{twin}/{position}' },
    ]);
    await t.rejects(
      agent.client.readResource({ uri: 'wrld://entries/stripe/9' }),
      /no entry stripe:9 yet. Next: /,
    );
  });

  await t.test('what cannot be done is an error of the tool that says what to do next', async t => {
    await t.rejects(agent.call('timeline', { twin: 'github' }), /no twin “github”.* Next: Call map/);
    await t.rejects(agent.call('advance_clock', { by: '1d' }), /Next: .*set_clock/);
    await t.rejects(agent.call('cut_changeset', { branch, message: 'x' }), /changeset already.* Next: /);
    await t.rejects(agent.call('timeline', { branch: 'shop-none-1a2b' }), /no branch "shop-none-1a2b"/);
    await t.rejects(
      agent.call('put_scenario', { twin: 'stripe', handlers: {} }),
      /has no handlers.* colocate.scenarioPath .* Next: Mend/,
    );
    await t.rejects(agent.call('entry', { id: 'one' }), 'what does not fit the schema');
    await t.rejects(agent.call('advance_clock', {}), 'what is missing');
  });
  t.equal(agent.err(), '', 'nothing on standard error either');
});

t.test('it looks only, unless it is started with --write', async t => {
  const folder = await worlds.make('reader');
  await using _world = await startUp(folder);
  await using agent = await open(folder);
  const { tools } = await agent.client.listTools();
  t.ok(tools.length > 8);
  for (const { name, annotations } of tools) t.equal(annotations?.readOnlyHint, true, name);
  t.notMatch(
    tools.map(({ name }) => name),
    ['cut_changeset'],
  );
  await t.rejects(agent.call('make_branch'), /make_branch/);

  await t.test('a page at a time, and no answer is longer than a model reads', async t => {
    const metadata = Array.from({ length: 20 }, (_, n) => `metadata[k${n}]=${'x'.repeat(400)}`);
    for (let nth = 0; nth < 4; nth++)
      t.equal((await curl(folder, null, '/v1/customers', ...metadata)).code, 0);
    const first = await agent.json('timeline', { limit: 3 });
    t.equal(first.entries.length, 3);
    const rest = await agent.json('timeline', { limit: 3, before: first.next });
    t.strictSame(
      rest.entries.map(({ id }: { id: string }) => id),
      ['stripe:1'],
    );
    t.equal(rest.next, null);
    const long = await agent.call('records', { twin: 'stripe', type: 'customer', limit: 100 });
    t.ok(long.length < MCP_ANSWER_CHARS_MAX + 200, String(long.length));
    t.match(long, /characters more: ask for less of it/);
  });
});

t.test('without a world it serves all the same, and says how to start one', async t => {
  const folder = await worlds.make('down');
  await using agent = await open(folder);
  await t.rejects(agent.call('status'), /no world is up in this folder. Start it: wrld world up/);
  await using _world = await startUp(folder);
  t.match(await agent.json('status'), { world: 'acme/shop' });
});

t.test('a served world by its URL, with the token of the environment', async t => {
  const folder = await worlds.make('served');
  await using served = await startServe(folder);
  const { worldUrl, token } = served.up;
  await using agent = await open(worlds.root, ['--world', worldUrl], { WRLD_WORLD_TOKEN: token });
  t.match(await agent.json('status'), { world: 'acme/shop' });
  await t.rejects(agent.call('clock', { branch: 'shop-x-1a2b' }), /was not made in this session/);
  const without = await wrld(worlds.root, 'mcp', '--world', worldUrl);
  t.match(without, { code: 2, out: '', err: /WRLD_WORLD_TOKEN is not set/ });
});

t.test('it ends when its input does, and at a signal', async t => {
  const folder = await worlds.make('ends');
  for (const end of ['input', 'signal'] as const) {
    const [program = '', ...words] = wrldWords('mcp');
    const child = spawn(program, words, { cwd: folder, env: cleanEnv(), stdio: ['pipe', 'pipe', 'inherit'] });
    const initialize = {
      ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'old', version: '1' } },
    };
    child.stdin.write(`${JSON.stringify(initialize)}\n`);
    const [answer] = await once(child.stdout.setEncoding('utf8'), 'data');
    t.match(JSON.parse(answer as string), { id: 1, result: { serverInfo: { name: 'wrld' } } });
    const gone = once(child, 'exit');
    if (end === 'input') child.stdin.end();
    else child.kill('SIGTERM');
    t.strictSame(await gone, [0, null], end);
  }
});

t.test('the page for agents names every tool, and its configurations are read', async t => {
  const page = await readFile(join(import.meta.dirname, '..', '..', '..', 'docs', 'agents.md'), 'utf8');
  for (const { name } of [...LOOK_TOOLS, ...WRITE_TOOLS]) t.match(page, `\`${name}\``, name);
  const configs = [...page.matchAll(/```json\n([^`]+)```/g)].map(([, text]) => JSON.parse(text!));
  t.equal(configs.length, 2);
  for (const config of configs) {
    const [servers] = Object.values<{ wrld: object }>(config);
    t.match(servers!.wrld, { command: 'npx', args: ['wrld', 'mcp', '--write'] });
  }
});
