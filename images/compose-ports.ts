// The ports of a service: those that it publishes on this machine, and those that it only names.
import { type ExposedPort, portRange } from './build-file.ts';
import { fieldOf, listOf, textOf } from './compose-shape.ts';
import { PORTS_MAX } from './limits.ts';
import { Unreadable } from './note.ts';
import type { PublishedPort } from './service.ts';
import type { Mapping, Tree } from './yaml-tree.ts';

export function portsOf(tree: Tree): readonly PublishedPort[] {
  const ports: PublishedPort[] = [];
  for (const item of listOf(tree, 'ports')) {
    ports.push(...(item.kind === 'mapping' ? longPort(item) : shortPort(item)));
    if (ports.length > PORTS_MAX) throw new Unreadable(item.place, `more than ${PORTS_MAX} ports`);
  }
  return ports;
}

export function exposesOf(tree: Tree): readonly ExposedPort[] {
  const ports: ExposedPort[] = [];
  for (const item of listOf(tree, 'expose')) {
    const read = portRange(textOf(item, 'expose'));
    if (read === null) throw new Unreadable(item.place, 'expose names no port');
    ports.push(...read.ports.map(port => ({ port, protocol: read.protocol, place: item.place })));
    if (ports.length > PORTS_MAX) throw new Unreadable(item.place, `more than ${PORTS_MAX} ports`);
  }
  return ports;
}

function longPort(item: Mapping): readonly PublishedPort[] {
  const field = (name: string): string | null => fieldOf(item, 'ports', name);
  const target = portRange(`${field('target') ?? ''}/${field('protocol') ?? 'tcp'}`);
  const published = field('published') ?? '';
  const read = published === '' ? null : portRange(published);
  if (target?.ports.length !== 1 || (published !== '' && read?.ports.length !== 1))
    throw new Unreadable(item.place, 'ports names no port: { target: 80, published: "8080" }');
  const { protocol, ports } = target;
  const address = field('host_ip');
  return [{ address, published: read?.ports[0] ?? null, target: ports[0]!, protocol, place: item.place }];
}

const SHORT = /^(?:(\[[0-9a-f:.]+\]|[\d.]+):)??(?:([\d-]*):)?([\d-]+(?:\/(?:tcp|udp))?)$/i;

function shortPort(item: Tree): readonly PublishedPort[] {
  const text = textOf(item, 'ports');
  const no = (): never => {
    const found = JSON.stringify(text.slice(0, 80));
    throw new Unreadable(
      item.place,
      `ports names no port: ${found} (accepted: "8080:80", "127.0.0.1:8080:80/tcp", "80")`,
    );
  };
  const [, address, from = '', to = ''] = SHORT.exec(text) ?? no();
  const target = portRange(to) ?? no();
  const published = from === '' ? null : (portRange(from) ?? no());
  if (published !== null && published.ports.length !== target.ports.length) return no();
  return target.ports.map((port, nth) => ({
    address: address?.replace(/^\[|\]$/g, '') ?? null,
    published: published?.ports[nth] ?? null,
    target: port,
    protocol: target.protocol,
    place: item.place,
  }));
}
