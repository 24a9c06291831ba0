// Keeps one proxy running at one address for as long as control runs: adopts the one that outlived the control
// before this one, else starts one; starts it again when it dies, at the same port. It touches only processes
// that it started or adopted.
import { rm } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import type { Log } from '../ports/log.ts';
import { readIfThere, writeWhole } from './files.ts';
import type { Ipc, ProxyLink } from './ipc.ts';
import { SUPERVISOR_LIMITS, type SupervisorLimits } from './limits.ts';
import { foundProxyProcess, isOurs, type ProxyProcess, startProxyProcess } from './proxy-process.ts';

export type SupervisorOptions = {
  readonly script: string;
  readonly host: string;
  /** 0: any free port at the first start; the same one from then on. */
  readonly port: number;
  /** What comes after `--host` and `--port`. */
  readonly args: readonly string[];
  readonly ipc: Ipc;
  /** `{ pid, host, port }` of the proxy, for the control after this one. */
  readonly proxyFile: string;
  readonly outputFile: string;
  readonly log: Log;
  readonly limits?: Partial<SupervisorLimits>;
  /** As a process, unless given. */
  readonly start?: typeof startProxyProcess;
  /** After every change of `state` or `pid`. */
  readonly onChange?: (supervisor: Supervisor) => void;
};

export type ProxyState = 'starting' | 'running' | 'restarting' | 'crash-loop' | 'stopped';

export type ProxyAddress = { readonly host: string; readonly port: number };

export class Supervisor implements AsyncDisposable {
  readonly #options: SupervisorOptions;
  readonly #limits: SupervisorLimits;
  readonly #stop = Promise.withResolvers<null>();
  #stopping = false;
  #closed: Promise<void> | null = null;
  readonly #hellos = new Map<number, (link: ProxyLink) => void>();
  #process: ProxyProcess | null = null;
  #address: ProxyAddress;
  #state: ProxyState = 'starting';
  #restarts = 0;
  #deathsInARow = 0;
  #watch: Promise<void> = Promise.resolve();

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#limits = { ...SUPERVISOR_LIMITS, ...options.limits };
    this.#address = { host: options.host, port: options.port };
    options.ipc.onHello(link => this.#heard(link));
  }

  get pid(): number {
    return this.#process?.pid ?? 0;
  }

  /** Where the proxy listens; the port asked for until it is up. */
  get address(): ProxyAddress {
    return this.#address;
  }

  get state(): ProxyState {
    return this.#state;
  }

  get restarts(): number {
    return this.#restarts;
  }

  #heard(link: ProxyLink): void {
    const waiting = this.#hellos.get(link.pid);
    if (waiting) waiting(link);
    else if (link.pid !== this.pid)
      this.#options.log.info(
        { proxy: link.pid, listen: link.listen },
        'a proxy that is not supervised connected',
      );
  }

  /** Resolves when a proxy listens. Rejects when one cannot be started, with the end of its log. */
  async start(): Promise<void> {
    const adopted = await this.#adopt();
    if (adopted) this.#process = adopted;
    else {
      const started = await this.#startOne();
      if (!started.ok) throw new Error(`the proxy does not start: ${started.why}`);
    }
    await this.#settled('running');
    this.#watch = this.#keepUp();
  }

  /** Drains the proxy, then ends it. Resolves when it is gone. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#stopping = true;
    this.#stop.resolve(null);
    await this.#watch;
    const running = this.#process;
    this.#process = null;
    if (running) await this.#end(running);
    this.#state = 'stopped';
    await rm(this.#options.proxyFile, { force: true });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #adopt(): Promise<ProxyProcess | null> {
    const found = parseProxyFile(await readIfThere(this.#options.proxyFile));
    if (!found || !isOurs(found.pid)) return null;
    const link = await this.#hello(found.pid, this.#limits.adoptMs);
    // Whatever has that pid now, it is no proxy of this world: left alone.
    if (!link) return null;
    const running = foundProxyProcess(link.pid);
    const { host, port } = this.#options;
    if (link.listen.host === host && (port === 0 || link.listen.port === port)) {
      this.#address = link.listen;
      this.#options.log.info({ proxy: link.pid, listen: link.listen }, 'adopted the proxy that was running');
      return running;
    }
    this.#options.log.info(
      { proxy: link.pid, listen: link.listen },
      'a proxy runs at another address; ended',
    );
    await this.#end(running);
    return null;
  }

  async #startOne(): Promise<{ readonly ok: true } | { readonly ok: false; readonly why: string }> {
    const { script, args, outputFile, start = startProxyProcess } = this.#options;
    const { host, port } = this.#address;
    const started = await start({
      script,
      args: ['--host', host, '--port', String(port), ...args],
      outputFile,
    });
    const heard = await Promise.race([this.#hello(started.pid, this.#limits.helloMs), started.ended]);
    if (heard === null || typeof heard === 'string') {
      started.signal('SIGKILL');
      const why = heard ?? `no hello within ${this.#limits.helloMs} ms`;
      const said = await started.said();
      return { ok: false, why: said === '' ? why : `${why}; it said:\n${said}` };
    }
    this.#process = started;
    this.#address = heard.listen;
    return { ok: true };
  }

  /** Runs until `close`: waits for the proxy to end, and starts it again. */
  async #keepUp(): Promise<void> {
    const { log } = this.#options;
    while (!this.#stopping) {
      const running = this.#process;
      const since = performance.now();
      if (running) {
        const ended = await Promise.race([running.ended, this.#stop.promise]);
        if (ended === null) return;
        this.#process = null;
        log.warn({ proxy: running.pid, ended }, 'the proxy ended; it is started again');
        if (performance.now() - since >= this.#limits.steadyMs) this.#deathsInARow = 0;
      }
      this.#deathsInARow += 1;
      const loop = this.#deathsInARow >= this.#limits.crashLoopDeaths;
      await this.#settled(loop ? 'crash-loop' : 'restarting');
      if (loop) log.error({ deaths: this.#deathsInARow }, 'the proxy keeps ending; its log says why');
      await Promise.race([pause(this.#backoff()), this.#stop.promise]);
      if (this.#stopping) return;
      const started = await this.#startOne().catch(error => ({ ok: false as const, why: String(error) }));
      this.#restarts += 1;
      if (started.ok) await this.#settled('running');
      else log.error({ why: started.why }, 'the proxy could not be started again');
    }
  }

  #backoff(): number {
    if (this.#deathsInARow <= 1) return 0;
    return Math.min(this.#limits.restartMs * 2 ** (this.#deathsInARow - 2), this.#limits.restartMsMax);
  }

  async #settled(state: ProxyState): Promise<void> {
    this.#state = state;
    if (this.#process) {
      const record = { pid: this.#process.pid, ...this.#address };
      await writeWhole(this.#options.proxyFile, `${JSON.stringify(record)}\n`).catch(error =>
        // Without the file the next control starts a proxy of its own; this one runs on.
        this.#options.log.warn({ err: error }, 'the proxy’s record could not be written'),
      );
    }
    this.#options.onChange?.(this);
  }

  async #end(running: ProxyProcess): Promise<void> {
    running.signal('SIGTERM');
    const inTime = new AbortController();
    const ended = await Promise.race([running.ended, pause(this.#limits.drainMs, inTime.signal)]);
    inTime.abort();
    if (ended !== null) return;
    this.#options.log.warn({ proxy: running.pid }, 'the proxy did not drain in time; killed');
    running.signal('SIGKILL');
    await running.ended;
  }

  /** The hello of that process, now or within `ms`; null when none came. */
  #hello(pid: number, ms: number): Promise<ProxyLink | null> {
    const already = this.#options.ipc.links.find(link => link.pid === pid);
    if (already) return Promise.resolve(already);
    const { promise: heard, resolve } = Promise.withResolvers<ProxyLink>();
    this.#hellos.set(pid, resolve);
    const late = new AbortController();
    return Promise.race([heard, pause(ms, late.signal), this.#stop.promise]).finally(() => {
      late.abort();
      this.#hellos.delete(pid);
    });
  }
}

function parseProxyFile(text: string | null): { readonly pid: number } | null {
  if (text === null) return null;
  try {
    const { pid } = JSON.parse(text) as { pid?: unknown };
    return typeof pid === 'number' && Number.isInteger(pid) && pid > 1 ? { pid } : null;
  } catch {
    return null;
  }
}

/** Resolves with null after `ms`, or at once when it is called off. */
function pause(ms: number, off?: AbortSignal): Promise<null> {
  return setTimeout(ms, null, off ? { signal: off } : {}).catch(() => null);
}
