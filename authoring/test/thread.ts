// The thread of a test process's worlds. They run apart from the tests: a test may block its own thread while a program
// that it started talks to its world, and may set its timers, modules and globals to whatever it likes.
import { enableCompileCache } from 'node:module';
import { type MessagePort, parentPort } from 'node:worker_threads';
import type { HandlerReply } from '../../twins/kit/handlers.ts';
import type { Place, Room, RoomAnswer, TwinRequest } from './room.ts';
import type { FromThread, ToThread, Wish } from './thread-messages.ts';

// What comes after it is compiled once for all test processes of this machine.
enableCompileCache();
const { openRoom } = await import('./room.ts');

const port = parentPort as MessagePort;
const rooms = new Map<number, Promise<Room>>();
const prompted = new Map<number, (reply: HandlerReply | null) => void>();
let prompts = 0;

const tell = (message: FromThread): void => port.postMessage(message);

port.on('message', (message: ToThread) => {
  if (message.type === 'said') {
    prompted.get(message.id)?.(message.reply);
    prompted.delete(message.id);
    return;
  }
  const { id, wish } = message;
  grant(wish).then(
    result => tell({ type: 'done', id, result }),
    (error: Error) => tell({ type: 'failed', id, message: error.message }),
  );
});

async function grant(wish: Wish): Promise<Place | RoomAnswer | null> {
  switch (wish.type) {
    case 'open':
      return (await open(wish)).place;
    case 'ask':
      return await (await rooms.get(wish.room)!).ask(wish.question);
    case 'place':
      return await (await rooms.get(wish.room)!).placeOf(wish.name, wish.token, wish.proxyUrl);
    case 'close': {
      const room = await rooms.get(wish.room)!.catch(() => null);
      rooms.delete(wish.room);
      await room?.[Symbol.asyncDispose]();
      return null;
    }
  }
}

function open({ room, options, wanted }: Extract<Wish, { type: 'open' }>): Promise<Room> {
  const counts = new Int32Array(wanted);
  const services = Object.keys(options.twins);
  const opening = openRoom(options, {
    wants: service => Atomics.load(counts, services.indexOf(service)) > 0,
    prompt: (service, request) => ask(room, service, request),
    complain: line => tell({ type: 'complaint', room, line }),
  });
  rooms.set(room, opening);
  return opening;
}

function ask(room: number, service: string, request: TwinRequest): Promise<HandlerReply | null> {
  const { promise, resolve } = Promise.withResolvers<HandlerReply | null>();
  const id = ++prompts;
  prompted.set(id, resolve);
  tell({ type: 'prompt', id, room, service, request });
  return promise;
}
