// What is mounted to make the root of a native run, a line each as a table of the system's has them.
import { execFile } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';

export type Line = {
  readonly what: string;
  readonly at: string;
  readonly type: string;
  readonly options: string;
};

/** `lower`: what is first lies over what follows. */
export type Overlaid = { readonly lower: readonly string[]; readonly upper: string; readonly work: string };

/** `lower` is seen, and not changed; what is written goes to `upper`. Each is a path of ours, without a sign of an option in it. */
export function overlay(at: string, { lower, upper, work }: Overlaid): Line {
  const options = `userxattr,nosuid,nodev,lowerdir=${lower.map(quoted).join(':')},upperdir=${quoted(upper)},workdir=${quoted(work)}`;
  return { what: 'overlay', at, type: 'overlay', options };
}

/** With the restrictions that it has here, which cannot be taken from it. */
export function bind(what: string, at: string, readOnly: boolean): Line {
  const restricted = flagsOf(what).filter(flag => ['noexec', 'ro'].includes(flag));
  const options = new Set(['bind', 'nosuid', 'nodev', ...restricted, ...(readOnly ? ['ro'] : [])]);
  return { what, at, type: 'none', options: [...options].join(',') };
}

/** A folder that nobody has anything in. */
export function empty(at: string): Line {
  return { what: 'tmpfs', at, type: 'tmpfs', options: 'nosuid,nodev,noexec,mode=755,size=1m' };
}

type MountPoint = { readonly at: string; readonly flags: readonly string[] };

/** What is mounted; null after it was changed. */
let mounted: readonly MountPoint[] | null = null;

/** Of the mount that a path is on. */
function flagsOf(path: string): readonly string[] {
  mounted ??= readFileSync('/proc/self/mountinfo', 'utf8').split('\n').map(mountPoint);
  let longest: MountPoint = { at: '', flags: [] };
  for (const each of mounted) {
    const isOn = path === each.at || path.startsWith(each.at === '/' ? '/' : `${each.at}/`);
    if (isOn && each.at.length >= longest.at.length) longest = each;
  }
  return longest.flags;
}

function mountPoint(line: string): MountPoint {
  const [, , , , at = '', options = ''] = line.split(' ');
  const named = at.replace(/\\(\d{3})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 8)));
  return { at: named, flags: options.split(',') };
}

/** As `mount -T` reads it. */
export function tableOf(lines: readonly Line[]): string {
  return lines
    .map(({ what, at, type, options }) => `${word(what)} ${word(at)} ${type} ${word(options)} 0 0\n`)
    .join('');
}

/** All of them, in their order, or none is good: what was to be read-only and is not would be this machine's own. */
export async function mountAll(lines: readonly Line[], table: string): Promise<void> {
  if (lines.length === 0) return;
  writeFileSync(table, tableOf(lines));
  try {
    await promisify(execFile)('mount', ['-a', '-T', table]);
  } catch (error) {
    const said = (error as { readonly stderr?: string }).stderr?.trim().split('\n')[0];
    throw new Error(`the root folder of the run cannot be made: ${said ?? (error as Error).message}`);
  } finally {
    mounted = null;
    rmSync(table, { force: true });
  }
}

function word(text: string): string {
  return text.replace(/[\s\\#]/g, char => `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`);
}

/** In the options of an overlay, these say where a path ends. */
function quoted(path: string): string {
  return path.replace(/[\\:,]/g, char => `\\${char}`);
}
