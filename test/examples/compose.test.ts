// examples/compose/compose.yaml, as far as a reader of such files would complain: what is in it, of which kind, and that
// every name leads somewhere. And its words are ones that `wrld` takes.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { worldUp } from '../../cli/commands/up.ts';

const FOLDER = join(import.meta.dirname, '..', '..', 'examples', 'compose');

type Value = string | readonly Value[] | { readonly [key: string]: Value };

/** The YAML that the example is written in: maps by two spaces, lists by dashes, flow lists and flow maps in one line. */
function read(lines: { indent: number; text: string }[], indent: number): Value {
  const list: Value[] = [];
  const map: { [key: string]: Value } = {};
  while (lines.length > 0 && lines[0]!.indent === indent) {
    const { text } = lines.shift()!;
    if (text.startsWith('- ')) {
      list.push(text.slice(2));
      continue;
    }
    const [, key = '', rest = ''] = /^([\w-]+):\s*(.*)$/.exec(text) ?? [];
    if (key === '') throw new Error(`not read: ${text}`);
    map[key] = rest === '' ? read(lines, lines[0]?.indent ?? 0) : scalar(rest);
  }
  return list.length > 0 ? list : map;
}

function scalar(text: string): Value {
  if (text === '{}') return {};
  if (text.startsWith('['))
    return text
      .slice(1, -1)
      .split(', ')
      .map(word => word.replace(/^"|"$/g, ''));
  return text.replace(/^"|"$/g, '');
}

function parse(text: string): { readonly [key: string]: Value } {
  const lines = text
    .split('\n')
    .filter(line => line.trim() !== '' && !line.trim().startsWith('#'))
    .map(line => ({ indent: line.length - line.trimStart().length, text: line.trim() }));
  return read(lines, 0) as { readonly [key: string]: Value };
}

type Service = {
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly command: readonly string[];
  readonly entrypoint?: readonly string[];
  readonly networks?: readonly string[];
  readonly network_mode?: string;
  readonly depends_on?: { readonly [service: string]: { readonly condition: string } };
  readonly volumes: readonly string[];
  readonly healthcheck?: { readonly test: readonly string[] };
};

/** Of a service, by the specification: which it has, and of which kind. */
const KINDS: { readonly [key: string]: 'text' | 'list' | 'map' } = {
  ...{ image: 'text', network_mode: 'text', build: 'map', depends_on: 'map', healthcheck: 'map' },
  ...{ command: 'list', entrypoint: 'list', networks: 'list', volumes: 'list' },
};

const kindOf = (value: Value): string =>
  typeof value === 'string' ? 'text' : Array.isArray(value) ? 'list' : 'map';

t.test('the compose example holds together', t => {
  const file = parse(readFileSync(join(FOLDER, 'compose.yaml'), 'utf8'));
  t.strictSame(Object.keys(file), ['services', 'networks', 'volumes']);
  const services = file['services'] as unknown as { readonly [name: string]: Service };
  t.strictSame(Object.keys(services), ['wrld', 'app']);
  for (const [name, service] of Object.entries(services)) {
    for (const [key, value] of Object.entries(service))
      t.equal(kindOf(value as Value), KINDS[key], `${name}.${key}`);
    for (const volume of service.volumes) {
      const [source = ''] = volume.split(':');
      t.ok(source.startsWith('.') || source in (file['volumes'] as object), `${volume} is there`);
    }
    for (const network of service.networks ?? []) t.ok(network in (file['networks'] as object), network);
    for (const [other, { condition }] of Object.entries(service.depends_on ?? {})) {
      t.equal(condition, 'service_healthy');
      t.ok(services[other]?.healthcheck, `${other} says when it is healthy`);
    }
  }
  t.strictSame(file['networks'], { inside: { internal: 'true' } }, 'no way out');

  const { wrld, app } = services as { readonly wrld: Service; readonly app: Service };
  const words = wrld.command.slice(worldUp.words.length);
  t.strictSame(wrld.command.slice(0, worldUp.words.length), worldUp.words);
  const flags = words.filter(word => word.startsWith('--')).map(word => word.slice(2));
  for (const flag of flags) t.ok(flag in worldUp.flags, `wrld world up has --${flag}`);
  const share = words[words.indexOf('--share') + 1]!;
  t.ok(
    wrld.volumes.includes(`wrld:${share}`) && app.volumes.includes(`wrld:${share}:ro`),
    'the same place in both',
  );
  t.strictSame(wrld.healthcheck!.test, ['CMD', 'test', '-f', `${share}/ready`]);
  t.strictSame(app.entrypoint, [`${share}/run`]);
  t.equal(app.network_mode, 'service:wrld');
  readFileSync(join(FOLDER, wrld.build!.context, wrld.build!.dockerfile));
  t.end();
});
