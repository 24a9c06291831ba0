// The root folder of a native run: a file system in memory in which the system's own folders lie read-only, the image's
// files in layers whose changes are gone with the run, the declared mounts, and nothing else of this machine. An image that
// has a root of its own has that as its lowest layer, and nothing of the system's.
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileInside, folderInside, inside } from '../inside.ts';
import { ROOT_BYTES_MAX } from '../limits.ts';
import { saveChanges, writtenAs } from './changes.ts';
import { groundOf } from './ground.ts';
import type { RootPlan, RunStart } from './messages.ts';
import { bind, empty, type Line, mountAll, type Overlaid, overlay } from './mounting.ts';
import { systemLines } from './system.ts';
import { takeOut } from './whiteouts.ts';

const DEVICES = ['null', 'zero', 'full', 'random', 'urandom', 'tty'];
const HIDDEN_PROC = ['kcore', 'keys', 'latency_stats', 'timer_list', 'sched_debug', 'kmsg', 'sysrq-trigger'];
const READ_ONLY_PROC = ['sys', 'irq', 'bus', 'fs'];
/** Where a program leaves what it does not keep. */
const TEMPORARY = ['/tmp', '/var/tmp', '/run', '/var/run', '/var/cache', '/var/log', '/dev', '/proc'];

/** Made for each run anew. */
const OF_THE_RUN = ['/dev', '/proc', '/etc/hosts', '/etc/hostname', '/etc/resolv.conf'];

/** There in every run, whatever its image has. */
const FOLDERS = [
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
];

type Layer = RootPlan['layers'][number];

export class Root {
  readonly folder: string;
  readonly #plan: RootPlan;
  readonly #changes: string;
  /** What is to be mounted next, for `mount`. */
  readonly #table: string;
  /** Where what is written to each layer goes, and what was there before the program was. */
  readonly #layers: (Layer & { readonly upper: string })[] = [];
  #before = new Map<string, string>();
  #nth = 0;

  /** `work` is the ground, opened. */
  constructor(work: string, plan: RootPlan) {
    const { root, changes, table } = groundOf(work);
    this.folder = root;
    this.#changes = changes;
    this.#table = table;
    this.#plan = plan;
  }

  async make(): Promise<void> {
    const { folder } = this;
    const table = this.#table;
    const ground = await this.#ground();
    for (const path of FOLDERS)
      mkdirSync(inside(folder, path), { recursive: true, mode: path.endsWith('tmp') ? 0o1777 : 0o755 });
    // A place in it is made when it is there; all else is mounted with it.
    const ats = this.#plan.layers.map(layer => inside(folder, layer.at));
    const isUnder = ground.some(line => ats.some(at => at === line.at || at.startsWith(`${line.at}/`)));
    if (isUnder) await mountAll(ground, table);
    const layers = this.#plan.layers.flatMap(layer => this.#overlay(layer));
    await takeOut(this.#layers, join(this.#changes, 'taken-out'));
    await mountAll(isUnder ? layers : [...ground, ...layers], table);
    await mountAll(this.#hidden(), table);
    for (const { from, at } of this.#plan.files) this.#copy(from, at);
    for (const path of [...this.#plan.volumes, this.#plan.workingFolder]) folderInside(folder, path);
    this.#settings();
    await mountAll([...this.#mounts(), ...this.#provided(), ...this.#devices(), ...this.#proc()], table);
    this.#before = this.#written();
  }

  /** What lies under all else: the image's own root, or this machine's system in its place. What is left to mount of it. */
  async #ground(): Promise<readonly Line[]> {
    const { base, made, system } = this.#plan;
    const { folder } = this;
    if (base === null) {
      if (made !== null) await mountAll(this.#overlay({ from: made, at: '/', without: [] }), this.#table);
      const together = (path: string): readonly Line[] | null => this.#together(path, made);
      return systemLines(folder, { more: system, together });
    }
    await mountAll(this.#overlay({ from: base, at: '/', without: [] }), this.#table);
    for (const name of ['dev', 'proc']) {
      const at = join(folder, name);
      // A link of the image's there would be followed by whoever mounts on it.
      if (lstatSync(at, { throwIfNoEntry: false })?.isDirectory() === true) continue;
      rmSync(at, { force: true });
      mkdirSync(at);
    }
    return [empty(join(folder, 'dev'))];
  }

  /** The system's folder under what the image has of its own there. */
  #together(path: string, made: string | null): readonly Line[] | null {
    const own = made === null ? null : join(made, path);
    if (own === null || lstatSync(own, { throwIfNoEntry: false })?.isDirectory() !== true) return null;
    return this.#overlay({ from: own, at: path, without: [] }, path);
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

  /** What was changed since the root was made is changed in `into` too, which has what is under it; but for `without`. */
  save({ into, without }: NonNullable<RunStart['saves']>): void {
    const apart = [...without, ...OF_THE_RUN];
    for (const { upper, at } of this.#layers)
      saveChanges(
        { upper, at, merged: join(this.folder, at), into: join(into, at) },
        { isNew: (path, what) => this.#before.get(path) !== what, apart },
      );
  }

  /** `under`: a folder of this machine's that lies under it. */
  #overlay(layer: Layer, under: string | null = null): readonly Line[] {
    const path = (name: string): string => join(this.#changes, `${name}-${this.#nth}`);
    const froms = [layer.from, ...(under === null ? [] : [under])];
    // Under a name of ours: no two readers of the options agree on a comma, a colon or a quote in one.
    const lower = froms.map((_, at) => path(at === 0 ? 'lower' : 'under'));
    const overlaid: Overlaid = { lower, upper: path('upper'), work: path('work') };
    for (const each of [...lower, overlaid.upper, overlaid.work]) mkdirSync(each);
    this.#nth += 1;
    this.#layers.push({ ...layer, upper: overlaid.upper });
    const binds = froms.map((from, at) => bind(from, lower[at]!, true));
    return [...binds, overlay(folderInside(this.folder, layer.at), overlaid)];
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
    if (this.#plan.base === null) this.#accounts(user);
    this.#write('/etc/resolv.conf', 'nameserver 127.0.0.1\n');
    if (this.#plan.base === null || !existsSync(inside(this.folder, '/etc/nsswitch.conf')))
      this.#write(
        '/etc/nsswitch.conf',
        'passwd: files\ngroup: files\nhosts: files dns\nservices: files\nprotocols: files\n',
      );
    this.#write('/etc/hostname', `${hostname}\n`);
    const named = hosts.map(each => `${each.address} ${each.name}\n`);
    this.#write('/etc/hosts', `127.0.0.1 localhost ${hostname}\n::1 localhost\n${named.join('')}`);
  }

  /** An image's own root has its own. */
  #accounts({ name, uid, gid, home }: RootPlan['user']): void {
    const others = [
      ['root', 0, 0, '/root'],
      ['nobody', 65_534, 65_534, '/nonexistent'],
    ].filter(([other, number]) => other !== name && number !== uid);
    const people = [[name, uid, gid, home], ...others] as [string, number, number, string][];
    this.#write(
      '/etc/passwd',
      people.map(([each, u, g, path]) => `${each}:x:${u}:${g}::${path}:/bin/sh\n`).join(''),
    );
    this.#write('/etc/group', people.map(([each, , g]) => `${each}:x:${g}:\n`).join(''));
    if (home !== '/') folderInside(this.folder, home);
  }

  #write(path: string, text: string): void {
    writeFileSync(fileInside(this.folder, path), text);
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
        if (stat === undefined || stat.dev !== device) continue;
        found.set(path, writtenAs(stat));
        if (stat.isDirectory()) walk(file, path, device);
      }
    };
    // Of an image's own files, what was written is in the layer over them.
    if (this.#plan.base === null && this.#plan.made === null)
      walk(this.folder, '/', lstatSync(this.folder).dev);
    for (const { upper, at } of this.#layers) walk(upper, at, lstatSync(upper).dev);
    return found;
  }
}
