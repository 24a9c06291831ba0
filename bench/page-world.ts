// A world of its own process, up, for the benches that look at its page.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const CLI = join(import.meta.dirname, '..', 'cli', 'wrld.js');

export type PageWorld = {
  readonly pid: number;
  readonly worldUrl: string;
  readonly proxyUrl: string;
  readonly token: string;
};

/** Address of the world's page. */
export const pageOf = ({ worldUrl }: PageWorld): string => `${worldUrl.replace(/(:\d+)\//, '$1/-/')}/`;

export async function withPageWorld(work: (world: PageWorld) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'wrld-bench-page-'));
  mkdirSync(join(folder, '.wrld'));
  const config = { name: 'bench/world', services: { stripe: { twin: 'stripe' } } };
  writeFileSync(join(folder, '.wrld', 'world.json'), JSON.stringify(config));
  const up = spawn(process.execPath, [CLI, 'world', 'up', '--port', '0', '--proxy-port', '0', '--json'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    await once(createInterface({ input: up.stdout }), 'line');
    const [token = ''] = readFileSync(join(folder, '.wrld', 'token'), 'utf8').split('\n');
    const told = JSON.parse(readFileSync(join(folder, '.wrld', 'run', 'up.json'), 'utf8')) as PageWorld;
    await work({ ...told, token });
  } finally {
    const gone = once(up, 'exit');
    up.kill('SIGTERM');
    await gone;
    rmSync(folder, { recursive: true, force: true });
  }
}
