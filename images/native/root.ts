// The root folder of a native run: a file system in memory in which the system's own folders lie read-only, the image's
// files in layers whose changes are gone with the run, the declared mounts, and nothing else of this machine.
import { execFile } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { fileInside, folderInside, inside } from '../inside.ts';
import { ROOT_BYTES_MAX } from '../limits.ts';
import type { RootPlan } from './messages.ts';
import { takeOut } from './whiteouts.ts';

/** Where a system has its programs; on many, links to folders in /usr. */
const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/nix/store'];
/** Of /etc, what programs of the system need, and none of what is the machine's own. */
const SETTINGS = [
  ...[
    'alternatives',
    'ca-certificates',
    'ca-certificates.conf',
    'crypto-policies',
    'debian_version',
    'fonts',
  ],
  ...['gai.conf', 'host.conf', 'inputrc', 'java-17-openjdk', 'java-21-openjdk', 'ld.so.cache', 'ld.so.conf'],
  ...[
    'ld.so.conf.d',
    'localtime',
    'magic',
    'mime.types',
    'os-release',
    'perl',
    'php',
    'pki/ca-trust',
    'pki/tls/certs',
  ],
  ...[
    'profile',
    'protocols',
    'python3',
    'rpc',
    'services',
    'ssl/certs',
    'ssl/openssl.cnf',
    'terminfo',
    'timezone',
  ],
];
const DEVICES = ['null', 'zero', 'full', 'random', 'urandom', 'tty'];
const HIDDEN_PROC = ['kcore', 'keys', 'latency_stats', 'timer_list', 'sched_debug', 'kmsg', 'sysrq-trigger'];
const READ_ONLY_PROC = ['sys', 'irq', 'bus', 'fs'];
/** Where a program leaves what it does not keep. */
const TEMPORARY = ['/tmp', '/var/tmp', '/run', '/var/run', '/var/cache', '/var/log', '/dev', '/proc'];

export const OLD_ROOT = '.old-root';

type Line = { readonly what: string; readonly at: string; readonly type: string; readonly options: string };

export class Root {
  readonly folder: string;
  readonly #plan: RootPlan;
  readonly #changes: string;
  /** What is to be mounted next, for `mount`. */
  readonly #table: string;
  /** Where what is written to each layer goes, and what was there before the program was. */
  readonly #layers: (RootPlan['layers'][number] & { readonly upper: string })[] = [];
  #before = new Map<string, string>();
  #nth = 0;

  /** `work` is an empty folder, and this process may mount in its own namespace. */
  constructor(work: string, plan: RootPlan) {
    this.folder = join(work, 'root');
    this.#changes = join(work, 'changes');
    this.#table = join(work, 'table');
    this.#plan = plan;
  }

  async make(): Promise<void> {
    const { folder } = this;
    const table = this.#table;
    const memory = `nosuid,nodev,mode=755,size=${ROOT_BYTES_MAX}`;
    for (const at of [folder, this.#changes]) mkdirSync(at);
    await mountAll(
      [folder, this.#changes].map(at => ({ what: 'tmpfs', at, type: 'tmpfs', options: memory })),
      table,
    );
    for (const path of [
      '/tmp',
      '/var/tmp',
      '/run',
      '/dev',
      '/proc',
      '/etc',
      '/home',
      '/root',
      '/var/log',
      '/var/cache',
    ])
      mkdirSync(join(folder, path), { recursive: true, mode: path.endsWith('tmp') ? 0o1777 : 0o755 });
    mkdirSync(join(folder, OLD_ROOT));
    await mountAll(this.#system(), table);
    const layers = this.#layerLines();
    await takeOut(this.#layers, join(this.#changes, 'taken-out'));
    await mountAll(layers, table);
    await mountAll(this.#hidden(), table);
    for (const { from, at } of this.#plan.files) this.#copy(from, at);
    for (const path of [...this.#plan.volumes, this.#plan.workingFolder]) folderInside(folder, path);
    this.#settings();
    await mountAll([...this.#mounts(), ...this.#provided(), ...this.#devices(), ...this.#proc()], table);
    this.#before = this.#written();
  }

  /** Of the paths that were written since the root was made, each by the outermost that is new. */
  kept(): readonly string[] {
    const after = this.#written();
    const paths = [...after].filter(([path, what]) => this.#before.get(path) !== what).map(([path]) => path);
    const apart = [...TEMPORARY, ...this.#plan.volumes, this.#plan.user.home];
    const kept = paths
      .filter(path => !apart.some(each => path === each || path.startsWith(`${each}/`)))
      .sort();
    return kept.filter(
      (path, nth) => nth === 0 || !kept.slice(0, nth).some(each => path.startsWith(`${each}/`)),
    );
  }

  #system(): readonly Line[] {
    const lines: Line[] = [];
    for (const path of [...SYSTEM, ...this.#plan.system]) {
      const found = lstatSync(path, { throwIfNoEntry: false });
      if (found?.isSymbolicLink()) symlinkSync(readlinkSync(path), join(this.folder, path));
      else if (found?.isDirectory()) lines.push(bind(path, folderInside(this.folder, path), true));
    }
    for (const name of SETTINGS) {
      const path = join('/etc', name);
      if (!existsSync(path)) continue;
      const found = lstatSync(path);
      const at = join(this.folder, path);
      mkdirSync(dirname(at), { recursive: true });
      // One that leads to the system's own folders leads there inside too.
      if (found.isSymbolicLink()) symlinkSync(readlinkSync(path), at);
      else if (found.isDirectory()) lines.push(bind(path, folderInside(this.folder, path), true));
      else lines.push(bind(path, fileInside(this.folder, path), true));
    }
    return lines;
  }

  #layerLines(): readonly Line[] {
    return this.#plan.layers.flatMap((layer): Line[] => {
      const { from, at } = layer;
      const [lower, upper, work] = ['lower', 'upper', 'work'].map(name => {
        const path = join(this.#changes, `${name}-${this.#nth}`);
        mkdirSync(path);
        return path;
      });
      this.#nth += 1;
      this.#layers.push({ ...layer, upper: upper! });
      const options = `userxattr,nosuid,nodev,lowerdir=${quoted(lower!)},upperdir=${quoted(upper!)},workdir=${quoted(work!)}`;
      // Under a name of ours: no two readers of the options agree on a comma, a colon or a quote in one.
      return [
        bind(from, lower!, true),
        { what: 'overlay', at: folderInside(this.folder, at), type: 'overlay', options },
      ];
    });
  }

  /** The world's own folder, in whatever layer or mount it lies. */
  #hidden(): readonly Line[] {
    const lines: Line[] = [];
    for (const hidden of this.#plan.hidden)
      for (const { from, at } of [...this.#plan.layers, ...this.#plan.mounts]) {
        const path = relative(from, hidden);
        if (path.startsWith('..') || !existsSync(hidden)) continue;
        const real = inside(this.folder, join(at, path));
        // A mount that is still to come has nothing there yet; it is hidden with it.
        if (existsSync(real)) lines.push(empty(real));
      }
    return lines;
  }

  #copy(from: string, at: string): void {
    const real = inside(this.folder, at);
    mkdirSync(dirname(real), { recursive: true });
    copyFileSync(from, real);
  }

  #settings(): void {
    const { user, hosts, hostname } = this.#plan;
    const write = (path: string, text: string): void => writeFileSync(fileInside(this.folder, path), text);
    const { name, uid, gid, home } = user;
    const others = [
      ['root', 0, 0, '/root'],
      ['nobody', 65_534, 65_534, '/nonexistent'],
    ].filter(([other, number]) => other !== name && number !== uid);
    const people = [[name, uid, gid, home], ...others] as [string, number, number, string][];
    write(
      '/etc/passwd',
      people.map(([each, u, g, path]) => `${each}:x:${u}:${g}::${path}:/bin/sh\n`).join(''),
    );
    write('/etc/group', people.map(([each, , g]) => `${each}:x:${g}:\n`).join(''));
    write('/etc/resolv.conf', 'nameserver 127.0.0.1\n');
    write(
      '/etc/nsswitch.conf',
      'passwd: files\ngroup: files\nhosts: files dns\nservices: files\nprotocols: files\n',
    );
    write('/etc/hostname', `${hostname}\n`);
    const named = hosts.map(each => `${each.address} ${each.name}\n`);
    write('/etc/hosts', `127.0.0.1 localhost ${hostname}\n::1 localhost\n${named.join('')}`);
    if (home !== '/') folderInside(this.folder, home);
  }

  #mounts(): readonly Line[] {
    return this.#plan.mounts.flatMap(({ from, at, readOnly }) => {
      const isFolder = statSync(from).isDirectory();
      const real = isFolder ? folderInside(this.folder, at) : fileInside(this.folder, at);
      const within = this.#plan.hidden.filter(
        each => isFolder && existsSync(each) && !relative(from, each).startsWith('..'),
      );
      return [bind(from, real, readOnly), ...within.map(each => empty(join(real, relative(from, each))))];
    });
  }

  #provided(): readonly Line[] {
    const { provided, bundle } = this.#plan;
    const lines = provided.map(path =>
      bind(
        path,
        statSync(path).isDirectory() ? folderInside(this.folder, path) : fileInside(this.folder, path),
        true,
      ),
    );
    if (bundle !== null)
      for (const over of bundle.over) {
        const real = inside(this.folder, over);
        if (existsSync(real)) lines.push(bind(bundle.from, real, true));
      }
    return lines;
  }

  #devices(): readonly Line[] {
    const at = (name: string): string => join(this.folder, 'dev', name);
    const devices = DEVICES.filter(name => existsSync(`/dev/${name}`)).map((name): Line => {
      writeFileSync(at(name), '');
      return { what: `/dev/${name}`, at: at(name), type: 'none', options: 'bind,nosuid,noexec' };
    });
    for (const name of ['pts', 'shm']) mkdirSync(at(name));
    for (const [name, target] of [
      ['ptmx', 'pts/ptmx'],
      ['fd', '/proc/self/fd'],
      ['stdin', '/proc/self/fd/0'],
      ['stdout', '/proc/self/fd/1'],
      ['stderr', '/proc/self/fd/2'],
    ])
      symlinkSync(target!, at(name!));
    return [
      ...devices,
      {
        what: 'devpts',
        at: at('pts'),
        type: 'devpts',
        options: 'newinstance,ptmxmode=0666,mode=620,nosuid,noexec',
      },
      {
        what: 'tmpfs',
        at: at('shm'),
        type: 'tmpfs',
        options: `nosuid,nodev,mode=1777,size=${ROOT_BYTES_MAX}`,
      },
    ];
  }

  /** The run's own processes, and none of the kernel's settings to change. */
  #proc(): readonly Line[] {
    const proc = join(this.folder, 'proc');
    const there = (name: string): boolean => existsSync(join('/proc', name));
    return [
      { what: 'proc', at: proc, type: 'proc', options: 'nosuid,nodev,noexec' },
      ...READ_ONLY_PROC.filter(there).map(name => bind(join(proc, name), join(proc, name), true)),
      ...HIDDEN_PROC.filter(there).map(
        (name): Line => ({
          what: '/dev/null',
          at: join(proc, name),
          type: 'none',
          options: 'bind,nosuid,noexec,ro',
        }),
      ),
    ];
  }

  /** By its path in the image, each file and folder that lies in the run's own memory. */
  #written(): Map<string, string> {
    const found = new Map<string, string>();
    const walk = (folder: string, at: string, device: number): void => {
      for (const name of readdirSync(folder)) {
        const file = join(folder, name);
        const path = join(at, name);
        const stat = lstatSync(file, { throwIfNoEntry: false });
        if (stat === undefined || stat.dev !== device || path === `/${OLD_ROOT}`) continue;
        found.set(path, stat.isDirectory() ? 'folder' : `${stat.ino} ${stat.mtimeMs} ${stat.size}`);
        if (stat.isDirectory()) walk(file, path, device);
      }
    };
    walk(this.folder, '/', lstatSync(this.folder).dev);
    for (const { upper, at } of this.#layers) walk(upper, at, lstatSync(upper).dev);
    return found;
  }
}

/** With the restrictions that it has here, which cannot be taken from it. */
function bind(what: string, at: string, readOnly: boolean): Line {
  const restricted = flagsOf(what).filter(flag => ['noexec', 'ro'].includes(flag));
  const options = new Set(['bind', 'nosuid', 'nodev', ...restricted, ...(readOnly ? ['ro'] : [])]);
  return { what, at, type: 'none', options: [...options].join(',') };
}

function empty(at: string): Line {
  return { what: 'tmpfs', at, type: 'tmpfs', options: 'nosuid,nodev,noexec,mode=755,size=1m' };
}

/** Of the mount that a path is on. */
function flagsOf(path: string): readonly string[] {
  let longest = '';
  let flags: readonly string[] = [];
  for (const line of readFileSync('/proc/self/mountinfo', 'utf8').split('\n')) {
    const [, , , , at = '', options = ''] = line.split(' ');
    const point = at.replace(/\\(\d{3})/g, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 8)),
    );
    if (
      point.length < longest.length ||
      !(path === point || path.startsWith(point === '/' ? '/' : `${point}/`))
    )
      continue;
    longest = point;
    flags = options.split(',');
  }
  return flags;
}

/** All of them, in their order, or none is good: what was to be read-only and is not would be this machine's own. */
async function mountAll(lines: readonly Line[], table: string): Promise<void> {
  if (lines.length === 0) return;
  const text = lines.map(
    ({ what, at, type, options }) => `${word(what)} ${word(at)} ${type} ${word(options)} 0 0\n`,
  );
  writeFileSync(table, text.join(''));
  try {
    await promisify(execFile)('mount', ['-a', '-T', table]);
  } catch (error) {
    const said = (error as { readonly stderr?: string }).stderr?.trim().split('\n')[0];
    throw new Error(`the root folder of the run cannot be made: ${said ?? (error as Error).message}`);
  } finally {
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
