// A test's end of the thread that runs its worlds: one thread for all worlds of a process, started with the first. It keeps
// no process up: a test that forgot to close its world ends all the same.
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { threadEnvironment } from './environment.ts';
import type { Place, Room, RoomAnswer, RoomOptions, RoomPrompt } from './room.ts';
import type { FromThread, ToThread, Wish } from './thread-messages.ts';

type Waiting = PromiseWithResolvers<Place | RoomAnswer | null>;

class Thread {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  readonly #rooms = new Map<number, RoomPrompt>();
  #wishes = 0;
  #numbers = 0;
  ended = false;

  constructor() {
    const script = new URL(`./thread${extname(import.meta.url)}`, import.meta.url);
    // A loader of the tests' own (--import, --require) is no matter of the worlds'.
    const execArgv = ['--disable-warning=ExperimentalWarning'];
    this.#worker = new Worker(script, { execArgv, env: threadEnvironment() });
    this.#worker.unref();
    this.#worker.on('message', (message: FromThread) => this.#take(message));
    this.#worker.on('error', error => this.#end(error as Error));
    this.#worker.on('exit', code => this.#end(new Error(`the thread of the worlds ended with ${code}`)));
  }

  wish(wish: Wish): Promise<Place | RoomAnswer | null> {
    const id = ++this.#wishes;
    const waiting: Waiting = Promise.withResolvers();
    // Somebody waits for it, which is a reason to stay up.
    if (this.#waiting.size === 0) this.#worker.ref();
    this.#waiting.set(id, waiting);
    this.#tell({ type: 'wish', id, wish });
    return waiting.promise;
  }

  number(kept: RoomPrompt): number {
    const number = ++this.#numbers;
    this.#rooms.set(number, kept);
    return number;
  }

  forget(number: number): void {
    this.#rooms.delete(number);
  }

  #tell(message: ToThread): void {
    this.#worker.postMessage(message);
  }

  #take(message: FromThread): void {
    switch (message.type) {
      case 'done':
        return this.#answered(message.id)?.resolve(message.result);
      case 'failed':
        return this.#answered(message.id)?.reject(new Error(message.message));
      case 'complaint':
        return this.#rooms.get(message.room)?.complain(message.line);
      case 'prompt': {
        const { id, room, service, request } = message;
        const asked = this.#rooms.get(room)?.prompt(service, request) ?? Promise.resolve(null);
        void asked.then(reply => this.#tell({ type: 'said', id, reply }));
      }
    }
  }

  #answered(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (this.#waiting.size === 0) this.#worker.unref();
    return waiting;
  }

  #end(error: Error): void {
    this.ended = true;
    for (const id of this.#waiting.keys()) this.#answered(id)?.reject(error);
  }
}

/** From this one on Node has SQLite without a flag. */
const NODE_MIN = [22, 13] as const;

function refuseOldNode(version: string): void {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > NODE_MIN[0] || (major === NODE_MIN[0] && minor >= NODE_MIN[1])) return;
  throw new Error(
    `wrld/test needs Node ${NODE_MIN.join('.')} or newer, and this is ${version}. Run the tests on a newer one: npx --package=node@24 -- node --test`,
  );
}

let thread: Thread | null = null;

export async function openThreadRoom(options: RoomOptions, prompt: RoomPrompt): Promise<Room> {
  refuseOldNode(process.versions.node);
  if (thread === null || thread.ended) thread = new Thread();
  const here = thread;
  const services = Object.keys(options.twins);
  const wanted = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT * Math.max(services.length, 1));
  const counts = new Int32Array(wanted);
  const room = here.number(prompt);
  const close = async (): Promise<void> => {
    await here.wish({ type: 'close', room });
    here.forget(room);
  };
  let place: Place;
  try {
    place = (await here.wish({ type: 'open', room, options, wanted })) as Place;
  } catch (error) {
    await close();
    throw error;
  }
  return {
    place,
    want: (service, wants) => Atomics.store(counts, services.indexOf(service), wants ? 1 : 0),
    ask: async question => (await here.wish({ type: 'ask', room, question })) as RoomAnswer,
    placeOf: async (name, token, proxyUrl) =>
      (await here.wish({ type: 'place', room, name, token, proxyUrl })) as Place,
    [Symbol.asyncDispose]: close,
  };
}
