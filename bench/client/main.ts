// The load client, a process of its own on a core apart from the proxy's. It does one command at a time,
// each bounded by a window, and samples the proxy's CPU at the window's two edges.
import { ready } from '../child.ts';
import { cpuMs, proxyCoreMs, residentMb } from '../machine.ts';
import { dial, getRequest, HOST, type Route } from './dial.ts';
import { Histogram } from './histogram.ts';
import { sendMails } from './mails.ts';
import { Responses } from './responses.ts';

/** How long connections may take to their first answer. */
const WARM_MS_MAX = 20_000;

const NUMBER = '########';

export type Command = {
  readonly route: Route;
  /** The proxy's process, whose CPU and memory are sampled; null for none. */
  readonly pid: number | null;
} & (
  | {
      readonly does: 'requests';
      readonly connections: number;
      readonly host: string;
      /** The bytes of requests as latin1, sent in turn, again and again; `########` is another number each time. */
      readonly requests: readonly string[];
      readonly windowMs: number;
    }
  | { readonly does: 'connections'; readonly concurrency: number; readonly windowMs: number }
  | {
      readonly does: 'mails';
      readonly connections: number;
      readonly windowMs: number;
      /** Send so many instead, however long that takes; null for as many as there is time for. */
      readonly mails: number | null;
    }
  | { readonly does: 'first'; readonly hosts: readonly string[] }
  | { readonly does: 'hold'; readonly tunnels: number }
);

export type Result = {
  /** Requests, connections or hosts done in the window. */
  readonly count: number;
  readonly ms: number;
  readonly bytes: number;
  /** Microseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Of `requests` alone. */
  readonly p999: number;
  /** For `first`: the p50 of the second connection to the same hosts. */
  readonly warmP50: number;
  /** CPU that the proxy used in the window; null without a pid. */
  readonly cpuMs: number | null;
  /** CPU that anything at all used on core 0 in the window; null where the kernel does not say. */
  readonly coreMs: number | null;
  /** Resident memory in MB: for `requests` at the window's end, for `hold` while the tunnels are held. */
  readonly residentMb: number | null;
};

export type Answer =
  | { readonly ok: true; readonly result: Result }
  | { readonly ok: false; readonly why: string };

process.on('message', (command: Command) => {
  run(command).then(
    result => process.send?.({ ok: true, result } satisfies Answer),
    (error: Error) => process.send?.({ ok: false, why: error.message } satisfies Answer),
  );
});
ready({ ready: true });

function run(command: Command): Promise<Result> {
  switch (command.does) {
    case 'requests':
      return requests(command);
    case 'connections':
      return connections(command);
    case 'mails':
      return mails(command);
    case 'first':
      return first(command);
    case 'hold':
      return hold(command);
  }
}

/** Kept-alive connections, each with one request at a time. The clock starts when every one
 * has had an answer, so the proxy's own dials are done, and after a quarter of a window more. */
async function requests(command: Command & { does: 'requests' }): Promise<Result> {
  const { route, windowMs, pid } = command;
  const requests = command.requests.map(request => Buffer.from(request, 'latin1'));
  const numbered = requests.map(request => request.indexOf(NUMBER));
  let sent = 0;
  const sockets = await Promise.all(
    Array.from({ length: command.connections }, () => dial(route, command.host)),
  );
  const histogram = new Histogram();
  const readers = sockets.map(() => new Responses());
  const failed = Promise.withResolvers<never>();
  const answered = Promise.withResolvers<void>();
  let unanswered = sockets.length;
  sockets.forEach((socket, nth) => {
    const reader = readers[nth]!;
    let sentAt = 0;
    let isFirst = true;
    const ask = (): void => {
      sentAt = performance.now();
      const nth = sent++ % requests.length;
      const at = numbered[nth]!;
      // What was written before is on its way already: loopback takes a small request whole.
      if (at >= 0) requests[nth]!.write(String(sent).padStart(NUMBER.length, '0'), at, 'latin1');
      socket.write(requests[nth]!);
    };
    socket.on('data', (chunk: Buffer) => {
      try {
        if (reader.feed(chunk) === 0) return;
      } catch (error) {
        failed.reject(error);
        return;
      }
      histogram.record(performance.now() - sentAt);
      if (isFirst && --unanswered === 0) answered.resolve();
      isFirst = false;
      ask();
    });
    socket.on('error', failed.reject);
    socket.on('end', () => failed.reject(new Error('a kept-alive connection was closed')));
    ask();
  });
  const late = setTimeout(
    () => failed.reject(new Error(`${unanswered} of ${sockets.length} connections had no answer`)),
    WARM_MS_MAX,
  );
  const byteCount = (): number => readers.reduce((sum, reader) => sum + reader.bytes, 0);
  try {
    await Promise.race([answered.promise, failed.promise]);
    clearTimeout(late);
    await Promise.race([elapsed(windowMs / 4), failed.promise]);
    histogram.clear();
    const before = { at: performance.now(), bytes: byteCount(), ...sample(pid) };
    await Promise.race([elapsed(windowMs), failed.promise]);
    return {
      ...NOTHING,
      count: histogram.total,
      ms: performance.now() - before.at,
      bytes: byteCount() - before.bytes,
      p50: histogram.quantile(0.5),
      p99: histogram.quantile(0.99),
      p999: histogram.quantile(0.999),
      residentMb: pid === null ? null : residentMb(pid),
      ...spent(pid, before),
    };
  } finally {
    for (const socket of sockets)
      socket
        .off('end', failed.reject)
        .on('error', () => {})
        .destroy();
  }
}

async function mails(command: Command & { does: 'mails' }): Promise<Result> {
  const { route, windowMs, pid, connections } = command;
  const histogram = new Histogram();
  const from = performance.now();
  let before = { at: from, ...sample(pid) };
  let warm = command.mails !== null;
  const sent = (ms: number): void => {
    if (!warm && performance.now() - from > windowMs / 4) {
      warm = true;
      histogram.clear();
      before = { at: performance.now(), ...sample(pid) };
    }
    histogram.record(ms);
  };
  const stopped = (): boolean =>
    command.mails === null
      ? performance.now() - from > windowMs * 1.25
      : histogram.total > command.mails - connections;
  await Promise.all(Array.from({ length: connections }, () => sendMails(route.port, { sent, stopped })));
  return {
    ...NOTHING,
    count: histogram.total,
    ms: performance.now() - before.at,
    p50: histogram.quantile(0.5),
    p99: histogram.quantile(0.99),
    residentMb: pid === null ? null : residentMb(pid),
    ...spent(pid, before),
  };
}

/** New tunnels, full handshakes, one request each. */
async function connections(command: Command & { does: 'connections' }): Promise<Result> {
  const { route, windowMs, pid } = command;
  const histogram = new Histogram();
  await once(route, HOST);
  const before = { at: performance.now(), ...sample(pid) };
  const loop = async (): Promise<void> => {
    while (performance.now() - before.at < windowMs) histogram.record(await once(route, HOST));
  };
  await Promise.all(Array.from({ length: command.concurrency }, loop));
  return {
    ...NOTHING,
    count: histogram.total,
    ms: performance.now() - before.at,
    p50: histogram.quantile(0.5),
    p99: histogram.quantile(0.99),
    ...spent(pid, before),
  };
}

/** One new connection and one request to each host; then the same again, now known to the proxy. */
async function first(command: Command & { does: 'first' }): Promise<Result> {
  const { route, hosts } = command;
  await once(route, HOST);
  const cold = new Histogram();
  const warm = new Histogram();
  const startedAt = performance.now();
  for (const host of hosts) {
    cold.record(await once(route, host));
    warm.record(await once(route, host));
  }
  return {
    ...NOTHING,
    count: hosts.length,
    ms: performance.now() - startedAt,
    p50: cold.quantile(0.5),
    p99: cold.quantile(0.99),
    warmP50: warm.quantile(0.5),
  };
}

/** Idle tunnels: CONNECT and TLS done, nothing asked. */
async function hold(command: Command & { does: 'hold' }): Promise<Result> {
  const held = [];
  try {
    const startedAt = performance.now();
    // A few at a time, so that the accept queue is no part of the measure.
    while (held.length < command.tunnels) {
      const batch = Math.min(20, command.tunnels - held.length);
      held.push(...(await Promise.all(Array.from({ length: batch }, () => dial(command.route, HOST)))));
    }
    const ms = performance.now() - startedAt;
    await elapsed(500);
    return {
      ...NOTHING,
      count: held.length,
      ms,
      residentMb: command.pid === null ? null : residentMb(command.pid),
    };
  } finally {
    for (const socket of held) socket.on('error', () => {}).destroy();
  }
}

const NOTHING: Result = {
  count: 0,
  ms: 0,
  bytes: 0,
  p50: 0,
  p99: 0,
  p999: 0,
  warmP50: 0,
  cpuMs: null,
  coreMs: null,
  residentMb: null,
};

/** Milliseconds from the dial to the end of the answer. */
async function once(route: Route, host: string): Promise<number> {
  const startedAt = performance.now();
  const socket = await dial(route, host);
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const reader = new Responses();
  socket.on('error', reject);
  socket.on('end', () => reject(new Error('the connection ended before its answer')));
  socket.on('data', (chunk: Buffer) => {
    try {
      if (reader.feed(chunk) > 0) resolve(performance.now() - startedAt);
    } catch (error) {
      reject(error);
    }
  });
  socket.write(getRequest(host, route.originPort, '/1k'));
  try {
    return await promise;
  } finally {
    socket.destroy();
  }
}

type Sample = Pick<Result, 'cpuMs' | 'coreMs'>;

function sample(pid: number | null): Sample {
  return { cpuMs: pid === null ? null : cpuMs(pid), coreMs: proxyCoreMs() };
}

function spent(pid: number | null, before: Sample): Sample {
  const after = sample(pid);
  const over = (end: number | null, start: number | null): number | null =>
    end === null || start === null ? null : end - start;
  return { cpuMs: over(after.cpuMs, before.cpuMs), coreMs: over(after.coreMs, before.coreMs) };
}

function elapsed(ms: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, ms));
}
