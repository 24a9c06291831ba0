// The machine a number was taken on, and what the kernel says a process has used.
import { execFileSync } from 'node:child_process';
import { accessSync, constants, readFileSync } from 'node:fs';
import { arch, availableParallelism, cpus, platform } from 'node:os';
import { delimiter, join } from 'node:path';

export type Machine = {
  readonly cores: number;
  readonly cpu: string;
  readonly system: string;
  readonly node: string;
  /** Null where nginx is not on the PATH. */
  readonly nginx: { readonly file: string; readonly version: string } | null;
  /** True where processes can be pinned to cores: `taskset` is there and there are at least two. */
  readonly pinned: boolean;
};

export function readMachine(): Machine {
  const nginx = onPath('nginx');
  return {
    cores: availableParallelism(),
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    system: `${platform()} ${arch()}`,
    node: process.version,
    nginx: nginx === null ? null : { file: nginx, version: nginxVersion(nginx) },
    pinned: availableParallelism() > 1 && onPath('taskset') !== null,
  };
}

const MEMORY_BYTES = 16 * 1024 * 1024;
const MEMORY_READS = 1_000_000;
const PAGES = 16_384;
const PAGE_BYTES = 4_096;

export type Memory = {
  /** A read of a place that depends on the one before, of 16 MB, nanoseconds. */
  readonly readNs: number;
  /** The first touch of a page, microseconds. */
  readonly touchUs: number;
};

/** What differs most between machines of the same processor, and between hours of one that others use. */
export function readMemory(): Memory {
  const next = new Uint32Array(MEMORY_BYTES / Uint32Array.BYTES_PER_ELEMENT).map((_, nth) => nth);
  // One ring through all places (Sattolo), from a seed.
  for (let nth = next.length - 1, seed = 1; nth > 0; nth--) {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    const other = seed % nth;
    [next[nth], next[other]] = [next[other]!, next[nth]!];
  }
  let at = 0;
  const readFrom = performance.now();
  for (let read = 0; read < MEMORY_READS; read++) at = next[at]!;
  const readNs = ((performance.now() - readFrom) * 1e6) / MEMORY_READS;
  const pages = Buffer.allocUnsafeSlow(PAGES * PAGE_BYTES);
  const touchFrom = performance.now();
  for (let page = 0; page < PAGES; page++) pages[page * PAGE_BYTES] = at;
  return { readNs, touchUs: ((performance.now() - touchFrom) * 1e3) / PAGES };
}

/** The proxy has core 0 for itself; client and upstream share the next, or have one each where there are more. `any` is
 * for what is measured as a whole, where the kernel places it. */
export type Seat = 'proxy' | 'client' | 'upstream' | 'any';

/** The words that start `command` on its core. */
export function seated(machine: Machine, seat: Seat, command: readonly string[]): string[] {
  if (!machine.pinned || seat === 'any') return [...command];
  const core = seat === 'proxy' ? 0 : seat === 'upstream' && machine.cores > 2 ? 2 : 1;
  return ['taskset', '-c', String(core), ...command];
}

/** User and system CPU time of a process so far, milliseconds in steps of 10; null where /proc is not. */
export function cpuMs(pid: number): number | null {
  const stat = readProc(`/proc/${pid}/stat`);
  if (stat === null) return null;
  // The second field is the command's name in parentheses and may hold spaces; utime and stime are 14 and 15.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
}

/** CPU time that core 0, the proxy's, has spent on anything so far, milliseconds; null where /proc is not. */
export function proxyCoreMs(): number | null {
  const fields = /^cpu0 (.+)/m
    .exec(readProc('/proc/stat') ?? '')?.[1]
    ?.split(' ')
    .map(Number);
  if (fields === undefined) return null;
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = fields;
  return (user + nice + system + irq + softirq + steal) * MS_PER_TICK;
}

/** USER_HZ is 100 on every Linux that Node runs on. */
const MS_PER_TICK = 10;

/** Resident memory of a process in MB; null where /proc is not. */
export function residentMb(pid: number): number | null {
  const kb = /^VmRSS:\s+(\d+) kB/m.exec(readProc(`/proc/${pid}/status`) ?? '')?.[1];
  return kb === undefined ? null : Number(kb) / 1024;
}

function readProc(file: string): string | null {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return null;
  }
}

function onPath(name: string): string | null {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
  for (const folder of folders) {
    const file = join(folder, name);
    try {
      accessSync(file, constants.X_OK);
      return file;
    } catch {
      // Not in this folder.
    }
  }
  return null;
}

function nginxVersion(file: string): string {
  const said = execFileSync('sh', ['-c', '"$0" -v 2>&1', file], { encoding: 'utf8' });
  return said.trim().replace(/^nginx version: nginx\//, '');
}
