// This process's own HTTP clients, sent through a world: fetch, `node:http`, `node:https` and undici, whatever agent or
// dispatcher of theirs they bring. Several worlds at once are told apart by where a call comes from (AsyncLocalStorage).
// What goes to this machine's loopback stays as it is.
import { AsyncLocalStorage } from 'node:async_hooks';
import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { syncBuiltinESMExports } from 'node:module';
import { text } from 'node:stream/consumers';
import { type Dispatcher, GLOBAL_DISPATCHERS, globalDispatcher, setGlobalDispatcher } from './dispatchers.ts';
import { refusalError } from './refusal-error.ts';
import type { WorldAgent } from './world-agent.ts';

/** The way into a world. */
export type Way = {
  readonly agents: { readonly [protocol: string]: WorldAgent };
  /** Null where the process's own is none that another can be made like. */
  dispatcher(symbol: symbol): Dispatcher | null;
};

const context = new AsyncLocalStorage<Way>();
/** The newest is in force. */
let installed: readonly Way[] = [];
let users = 0;
let patches: DisposableLike | null = null;

type DisposableLike = { [Symbol.dispose](): void };

const inForce = (): Way | undefined => context.getStore() ?? installed.at(-1);

/** From now on, unless a call comes from within another world's `runWithin`. */
export function install(way: Way): Disposable {
  const off = use();
  installed = [...installed, way];
  let done = false;
  return {
    [Symbol.dispose]: () => {
      if (done) return;
      done = true;
      const at = installed.lastIndexOf(way);
      installed = installed.filter((_, index) => index !== at);
      off();
    },
  };
}

/** What `work` does, and all that comes of it. */
export function runWithin<T>(way: Way, work: () => T): T {
  const off = use();
  let result: T;
  try {
    result = context.run(way, work);
  } catch (error) {
    off();
    throw error;
  }
  if (!isPromise(result)) {
    off();
    return result;
  }
  return result.then(
    value => {
      off();
      return value;
    },
    error => {
      off();
      throw error;
    },
  ) as T;
}

function isPromise(value: unknown): value is Promise<unknown> {
  return typeof (value as Promise<unknown> | null)?.then === 'function';
}

function use(): () => void {
  users += 1;
  patches ??= patch();
  return () => {
    users -= 1;
    if (users > 0) return;
    patches?.[Symbol.dispose]();
    patches = null;
  };
}

function patch(): DisposableLike {
  const undo = [patchModule(http, 'http:'), patchModule(https, 'https:'), patchFetch()];
  for (const symbol of GLOBAL_DISPATCHERS) {
    const own = globalDispatcher(symbol);
    if (own !== undefined) undo.push(patchDispatcher(symbol, own));
  }
  syncBuiltinESMExports();
  return {
    [Symbol.dispose]: () => {
      for (const each of undo) each();
      syncBuiltinESMExports();
    },
  };
}

/** Puts a value in the place of another; undone where nobody has put a third there meanwhile. */
function replace<Holder extends object, Name extends keyof Holder>(
  holder: Holder,
  name: Name,
  value: Holder[Name],
): () => void {
  const own = holder[name];
  holder[name] = value;
  return () => {
    if (holder[name] === value) holder[name] = own;
  };
}

type Requests = { request: typeof http.request; get: typeof http.get };

function patchModule(module: Requests, protocol: string): () => void {
  const { request } = module;
  const routed = (...args: unknown[]): ClientRequest => {
    const way = inForce();
    const sent = way === undefined ? null : sentThrough(way, args, protocol);
    if (sent === null) return (request as (...all: unknown[]) => ClientRequest)(...args);
    return refusing((request as (...all: unknown[]) => ClientRequest)(...sent));
  };
  const undo = [
    replace(module, 'request', routed as typeof http.request),
    replace(module, 'get', ((...args: unknown[]) => {
      const asked = routed(...args);
      asked.end();
      return asked;
    }) as typeof http.get),
  ];
  return () => {
    for (const each of undo) each();
  };
}

type RequestOptions = {
  readonly protocol?: string | null;
  readonly hostname?: string | null;
  readonly host?: string | null;
  readonly socketPath?: string;
};

/** `(url[, options][, callback])` or `(options[, callback])`, with the world's agent; null for what stays as it is. */
function sentThrough(way: Way, args: readonly unknown[], protocol: string): unknown[] | null {
  const [first, second] = args;
  const isUrl = typeof first === 'string' || first instanceof URL;
  const given = (isUrl ? (typeof second === 'object' ? second : {}) : first) as RequestOptions | null;
  if (given?.socketPath !== undefined) return null;
  const url = isUrl ? new URL(first) : null;
  const host = given?.hostname ?? given?.host ?? url?.hostname ?? 'localhost';
  const agent = way.agents[given?.protocol ?? url?.protocol ?? protocol];
  if (agent === undefined || isLoopback(host)) return null;
  const options = { ...given, agent };
  const rest = args.slice(isUrl && typeof second === 'object' ? 2 : 1).filter(each => each !== undefined);
  return isUrl ? [first, options, ...rest] : [options, ...rest];
}

export function isLoopback(host: string): boolean {
  const name = host
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/:\d+$/, '');
  return /^127\.\d+\.\d+\.\d+$/.test(name) || name === '::1' || /(^|\.)localhost$/.test(name);
}

/** A refusal is an error of the request's, as 7.1 has it. */
function refusing(request: ClientRequest): ClientRequest {
  const { emit } = request;
  request.emit = function (this: ClientRequest, event: string | symbol, ...args: unknown[]): boolean {
    const [answer] = args as [IncomingMessage];
    if (event !== 'response' || answer.headers['x-wrld-world-refusal'] === undefined)
      return Reflect.apply(emit, this, [event, ...args]);
    // The request has ended well as far as Node knows, and would not tell of an error any more.
    void text(answer).then(
      body => Reflect.apply(emit, request, ['error', refusalError(body)]),
      error => Reflect.apply(emit, request, ['error', error]),
    );
    return true;
  } as typeof emit;
  return request;
}

function patchFetch(): () => void {
  const own = globalThis.fetch;
  const routed: typeof fetch = async (input, init) => {
    const answer = await own(input, init);
    if (inForce() === undefined || !answer.headers.has('x-wrld-world-refusal')) return answer;
    throw refusalError(await answer.text());
  };
  return replace(globalThis, 'fetch', routed);
}

function patchDispatcher(symbol: symbol, own: Dispatcher): () => void {
  const dispatch: Dispatcher['dispatch'] = (options, handler) => {
    const there = options.origin === undefined || isLoopback(new URL(String(options.origin)).hostname);
    const dispatcher = there ? null : inForce()?.dispatcher(symbol);
    return (dispatcher ?? own).dispatch(options, handler);
  };
  const routed = new Proxy(own, {
    get: (target, name) => {
      if (name === 'dispatch') return dispatch;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' && name !== 'constructor' ? value.bind(target) : value;
    },
  });
  setGlobalDispatcher(symbol, routed);
  return () => {
    if (globalDispatcher(symbol) === routed) setGlobalDispatcher(symbol, own);
  };
}
