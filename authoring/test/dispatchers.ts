// What `fetch` and undici send by. Node's own undici cannot be imported; its dispatcher stands under a symbol that npm's
// releases use too, and says by its constructor how another is made.

/** As much of undici's as is used here. */
export type Dispatcher = {
  dispatch(options: { readonly origin?: string | URL }, handler: object): boolean;
  close(): Promise<void>;
  destroy(): Promise<void>;
};

type DispatcherClass = new (options: object) => Dispatcher;

/** The second is of undici 8 and newer, whose handlers are others. */
export const GLOBAL_DISPATCHERS: readonly symbol[] = [
  Symbol.for('undici.globalDispatcher.1'),
  Symbol.for('undici.globalDispatcher.2'),
];

type Globals = { [symbol: symbol]: Dispatcher | undefined };
const globals = globalThis as unknown as Globals;

export const globalDispatcher = (symbol: symbol): Dispatcher | undefined => globals[symbol];

/** undici defines it as writable, and as no more. */
export function setGlobalDispatcher(symbol: symbol, dispatcher: Dispatcher): void {
  globals[symbol] = dispatcher;
}

/** Node makes them with the first fetch of a process. */
export async function globalDispatchersMade(fetcher: typeof fetch): Promise<void> {
  if (GLOBAL_DISPATCHERS.every(symbol => globals[symbol] === undefined)) await fetcher('data:,');
}

/** One like another, that connects by `connect`; null where that one is none that can be made so. */
export function dispatcherLike(model: Dispatcher | undefined, connect: object): Dispatcher | null {
  const Class = model?.constructor as DispatcherClass | undefined;
  // A mock of the user's, or the one that reads HTTPS_PROXY, would not connect so.
  return Class?.name === 'Agent' ? new Class({ connect }) : null;
}
