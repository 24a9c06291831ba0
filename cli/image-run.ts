// Images that run natively in a world: each in a sandbox of its own, told apart by a run of its own, with the services that it
// depends on; where there are several, their output is told by name, and one that ends ends the rest.
import { createServer, type Server } from 'node:net';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { networkDeclaration } from '../images/declaration-text.ts';
import { ROOT_BYTES_MAX } from '../images/limits.ts';
import { handOver } from '../images/native/handover.ts';
import { openMacSandbox } from '../images/native/macos-sandbox.ts';
import { type Lead, neighbourAddress } from '../images/native/messages.ts';
import {
  type NativeSandbox,
  openSandbox,
  type SandboxEnd,
  type SandboxOptions,
} from '../images/native/sandbox.ts';
import type { Place } from '../images/note.ts';
import { type ChildEnd, endOf, inForeground } from './child.ts';
import type { Surround } from './command.ts';
import { type DeclaredRun, openRun } from './declared-run.ts';
import { builtPlan } from './image-build.ts';
import { untilHealthy } from './image-health.ts';
import { type ImagePlan, planNotes } from './image-plan.ts';
import { ImageRefusals } from './image-refusals.ts';
import { shown } from './images.ts';
import { EXIT_REFUSED, EXIT_TIME } from './limits.ts';
import { runProgram } from './native-program.ts';
import type { Output } from './output.ts';
import { followRefusals } from './run-refusals.ts';
import type { PlaceOfRun, ReachOfRun } from './world-run.ts';

export type ImagesAsked = {
  /** In the order in which they start. */
  readonly plans: readonly ImagePlan[];
  readonly quiet: boolean;
  readonly failOnRefusal: boolean;
  /** Seconds. */
  readonly time: number;
  /** Absolute: where what the sandbox refused is written as records. */
  readonly refusalsFile: string | null;
  /** What was built before is built again. */
  readonly rebuild: boolean;
};

const INKS = ['cyan', 'magenta', 'green', 'yellow'] as const;

/** Whoever sends one of these wants no image any more; of a window that changes its size nobody does. */
const ENDING: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'];

type Live = {
  plan: ImagePlan;
  readonly sandbox: NativeSandbox;
  readonly run: Extract<DeclaredRun, { ok: true }>;
  ended: Promise<SandboxEnd> | null;
};

/** Resolves to the exit code: that of the one that ended first. */
export async function runImages(
  reach: ReachOfRun,
  place: PlaceOfRun,
  { plans, quiet, failOnRefusal, time, refusalsFile, rebuild }: ImagesAsked,
  { output, env }: Surround,
): Promise<number> {
  const tell = (line: string): void => output.error(`wrld image run: ${line}`);
  if (reach.runsSocket === null) {
    tell('the world that is up takes no runs of this kind; start it again');
    return 1;
  }
  await using opened = new AsyncDisposableStack();
  const live = new Map<string, Live>();
  const labelled = plans.length > 1;
  const own = new ImageRefusals({
    ...{ output, quiet, file: refusalsFile, docsUrl: reach.baseUrl },
    worldFolder: place.paths.folder,
  });
  for (const plan of plans) {
    const options: SandboxOptions = {
      env,
      labelled,
      bytesMax: ROOT_BYTES_MAX,
      tell,
      heard: asked => own.heard(plan.image, asked),
      dial: (service, port, socket) => {
        const other = live.get(service);
        if (other === undefined) socket.destroy();
        else void handOver(socket, far => other.sandbox.accept(far, port));
      },
    };
    const sandbox = await (process.platform === 'darwin' ? openMacSandbox(options) : openSandbox(options));
    if (!sandbox.ok) {
      tell(`an image cannot run natively here: ${sandbox.why}`);
      return 1;
    }
    opened.use(sandbox.sandbox);
    const run = opened.use(await openRun(reach, networkDeclaration(plan.image)));
    if (!run.ok) {
      tell(run.why);
      return 1;
    }
    live.set(plan.image.name, { plan, sandbox: sandbox.sandbox, run, ended: null });
  }
  const runs = [...live.values()].map(({ run }) => run.name);
  const refusals = await followRefusals(reach, { output, runs, quiet });
  const stopped = place.stopped();
  if (stopped !== null) return stopped;
  const whole = new ImagesRun(reach, place, live, {
    ...{ env, output, tell, labelled, opened, rebuild },
    refusals: own,
  });
  const code = await whole.run(time);
  // Its end is in force when the proxy has said so, and what it refused before it said before.
  for (const { run } of live.values()) await run[Symbol.asyncDispose]();
  const refused = (await refusals.end()) + own.count;
  return failOnRefusal && refused > 0 && code === 0 ? EXIT_REFUSED : code;
}

type Around = {
  readonly env: Surround['env'];
  readonly rebuild: boolean;
  readonly output: Output;
  readonly tell: (line: string) => void;
  readonly labelled: boolean;
  readonly opened: AsyncDisposableStack;
  readonly refusals: ImageRefusals;
};

class ImagesRun {
  readonly #reach: ReachOfRun;
  readonly #place: PlaceOfRun;
  readonly #live: ReadonlyMap<string, Live>;
  readonly #around: Around;
  readonly #width: number;
  readonly #over = new AbortController();
  /** While images are built, and nothing of them runs yet. */
  #building = false;

  constructor(reach: ReachOfRun, place: PlaceOfRun, live: ReadonlyMap<string, Live>, around: Around) {
    this.#reach = reach;
    this.#place = place;
    this.#live = live;
    this.#around = around;
    this.#width = Math.max(...[...live.keys()].map(name => name.length));
  }

  async run(seconds: number): Promise<number> {
    const all = [...this.#live.values()];
    const first = Promise.withResolvers<number>();
    const timer = setTimeout(() => {
      this.#around.tell(`the time of this run is over (${seconds} seconds; --time)`);
      first.resolve(EXIT_TIME);
    }, seconds * 1_000);
    try {
      const signals = (signal: NodeJS.Signals): void => {
        // Nothing runs yet that it could be for.
        if (this.#building) return;
        for (const { sandbox } of all) sandbox.signal(signal);
      };
      return await inForeground(signals, this.#buildAndStart(all, first)).then(({ code }) => code);
    } finally {
      clearTimeout(timer);
      this.#over.abort();
      await Promise.all(all.map(({ sandbox }) => sandbox.stop()));
    }
  }

  async #buildAndStart(all: readonly Live[], first: PromiseWithResolvers<number>): Promise<ChildEnd> {
    const over = new AbortController();
    const end = (signal: NodeJS.Signals): void => first.resolve(endOf(null, signal).code);
    for (const signal of ENDING) process.on(signal, end);
    this.#building = true;
    try {
      const built = this.#buildAll(all, over.signal);
      const code = await Promise.race([built, first.promise]);
      over.abort();
      await built;
      if (code !== null) return { code, problem: null };
    } finally {
      this.#building = false;
      for (const signal of ENDING) process.off(signal, end);
    }
    return await this.#startAll(all, first);
  }

  /** Null, or the exit code where one cannot be built. */
  async #buildAll(all: readonly Live[], over: AbortSignal): Promise<number | null> {
    const { tell, output, env, rebuild: again } = this.#around;
    for (const each of all) {
      if (!each.plan.isBuilt) continue;
      const ground = { reach: this.#reach, place: this.#place, run: each.run };
      const built = await builtPlan(each.plan, { ...ground, ...{ tell, output, env, again, over } });
      if (typeof built === 'string') {
        if (!over.aborted) tell(`${shown(each.plan.image.name)} cannot be built: ${built}`);
        return 1;
      }
      each.plan = built;
    }
    return null;
  }

  /** Resolves with the end of the first one that ends, in time or not. */
  async #startAll(all: readonly Live[], first: PromiseWithResolvers<number>): Promise<ChildEnd> {
    for (const [nth, each] of all.entries()) {
      const code = await this.#awaitOthers(each, first);
      if (code !== null) return { code, problem: null };
      const ended = this.#start(each, nth);
      each.ended = ended;
      const awaited = all.some(
        ({ plan }) =>
          plan.image.dependsOn.get(each.plan.image.name)?.condition === 'service_completed_successfully',
      );
      void ended.then(end => {
        const code = this.#code(each, end);
        if (awaited && code === 0) return;
        // Whom this run ends, because it is over, ended nobody.
        if (this.#around.labelled && !this.#over.signal.aborted)
          this.#around.tell(`${shown(each.plan.image.name)} ended with ${code}, and the rest with it`);
        first.resolve(code);
      });
    }
    return { code: await first.promise, problem: null };
  }

  /** Resolves when it may start: to null, or to the exit code where it never may. */
  async #awaitOthers({ plan }: Live, first: PromiseWithResolvers<number>): Promise<number | null> {
    for (const [name, { condition, place }] of plan.image.dependsOn) {
      const other = this.#live.get(name);
      if (other?.ended == null || condition === 'service_started') continue;
      if (condition === 'service_healthy') {
        const code = await Promise.race([this.#healthy(other, place), first.promise]);
        if (code !== null) return code;
        continue;
      }
      const end = await Promise.race([other.ended, first.promise]);
      if (typeof end === 'number') return end;
      if (this.#code(other, end) !== 0) return 1;
    }
    return null;
  }

  async #healthy({ plan, sandbox }: Live, { file, line }: Place): Promise<number | null> {
    const { name, healthCheck } = plan.image;
    if (healthCheck === null) {
      this.#around.tell(
        `${shown(`${file}:${line}: ${name}`)} has no health check; it counts as healthy when it is started`,
      );
      return null;
    }
    if (await untilHealthy(sandbox, healthCheck, this.#over.signal)) return null;
    const { place } = healthCheck;
    this.#around.tell(
      `${shown(`${name} is not healthy, by the check of ${place.file}:${place.line}`)}, and who depends on it is not started`,
    );
    return 1;
  }

  #code({ plan }: Live, end: SandboxEnd): number {
    if (end.ok) return endOf(end.code, end.signal).code;
    this.#around.tell(`${shown(plan.image.name)}: ${end.why}`);
    return 1;
  }

  async #start({ plan, sandbox, run }: Live, nth: number): Promise<SandboxEnd> {
    const { tell, opened, output, labelled, refusals } = this.#around;
    const { image, limits } = plan;
    const failed = (why: string): SandboxEnd => ({ ok: false, why, kept: { paths: [], more: 0 } });
    for (const line of planNotes(plan)) output.error(`${output.ink('yellow', 'note')} ${line}`);
    const { leads, hosts, missing } = this.#neighbours(plan);
    if (missing !== null) return failed(missing);
    if (labelled) this.#label(image.name, nth, sandbox);
    await this.#publish(plan, sandbox);
    if (nth === 0)
      output.error(
        output.ink(
          'dim',
          `wrld: native, at most ${limits.processes} processes, ${Math.round(limits.memory / 1024 ** 2)} MiB of memory each`,
        ),
      );
    const { words, env, root } = plan;
    const end = await runProgram(
      sandbox,
      { ...{ image, words, env, root, limits, leads, hosts }, saves: null },
      { reach: this.#reach, place: this.#place, run, tell, opened },
    );
    refusals.kept(image, end.kept);
    return end;
  }

  /** Who it depends on, each at an address of its own; null `missing`, or whom nobody runs. */
  #neighbours({ image }: ImagePlan): {
    readonly leads: readonly Lead[];
    readonly hosts: readonly { readonly name: string; readonly address: string }[];
    readonly missing: string | null;
  } {
    const leads: Lead[] = [];
    const hosts = [...image.extraHosts].map(([name, { address }]) => ({ name, address }));
    let next = 0;
    for (const [name, { required, place }] of image.dependsOn) {
      const address = neighbourAddress(next++);
      const other = this.#live.get(name)?.plan.image;
      const service = this.#place.config?.services.find(each => each.name === name);
      if (other !== undefined) {
        const ports = [...other.exposed.map(each => each.port), ...other.published.map(each => each.target)];
        for (const port of new Set(ports)) leads.push({ address, port, to: 'service', service: name });
      } else if (service !== undefined) {
        const target = `${service.host.includes(':') ? `[${service.host}]` : service.host}:${service.port}`;
        leads.push({ address, port: service.port, to: 'world', target });
      } else if (required) {
        const missing = `${shown(`${place.file}:${place.line}: it depends on ${name}`)}, which is neither made here nor a service of the world: services.${shown(name)}.address in .wrld/world.json`;
        return { leads, hosts, missing };
      } else continue;
      hosts.push({ name, address });
    }
    return { leads, hosts, missing: null };
  }

  /** The ports that it publishes, on this machine; of those that it only exposes, each under its own number. */
  async #publish({ image }: ImagePlan, sandbox: NativeSandbox): Promise<void> {
    const { tell, opened, labelled } = this.#around;
    const own = image.published.filter(each => each.protocol === 'tcp');
    const exposed = labelled || own.length > 0 ? [] : image.exposed.filter(each => each.protocol === 'tcp');
    const ports = [
      ...own.map(({ address, published, target }) => ({
        host: address ?? '127.0.0.1',
        port: published ?? 0,
        target,
      })),
      ...exposed.map(({ port }) => ({ host: '127.0.0.1', port, target: port })),
    ];
    await Promise.all(
      ports.map(async ({ host, port, target }) => {
        const server = createServer({ pauseOnConnect: true }, socket => {
          socket.on('error', () => {});
          sandbox.accept(socket, target);
        });
        const failed = await listen(server, host, port);
        if (failed !== null)
          return tell(`port ${port} of ${shown(image.name)} cannot be opened here (${failed})`);
        opened.defer(() => void server.close());
        const at = server.address();
        tell(
          `${shown(image.name)}: port ${target} is at ${host}:${typeof at === 'object' ? at?.port : port}`,
        );
      }),
    );
  }

  #label(name: string, nth: number, { output: { out, err } }: NativeSandbox): void {
    const { output } = this.#around;
    const label = output.ink(INKS[nth % INKS.length]!, `${shown(name).padEnd(this.#width)} |`);
    const pass = (from: Readable, to: (line: string) => void): void => {
      createInterface({ input: from }).on('line', line => to(`${label} ${line}`));
    };
    pass(out, line => output.line(line));
    pass(err, line => output.error(line));
  }
}

function listen(server: Server, host: string, port: number): Promise<string | null> {
  return new Promise(resolve => {
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ host, port }, () => resolve(null));
  });
}
