// A stream's connection as smtp-server wants it, which knows sockets alone.
import type { Duplex } from 'node:stream';

/**
 * smtp-server takes everybody's listeners off a socket at STARTTLS, and asks for a few things that only a socket has
 * and the bytes of a WebSocket have not.
 */
export function asSocket(stream: Duplex): Duplex {
  const ours = stream.eventNames().map(name => [name, stream.rawListeners(name)] as const);
  const removeAll = stream.removeAllListeners.bind(stream);
  stream.removeAllListeners = (...names: [event?: string | symbol]) => {
    removeAll(...names);
    for (const [name, listeners] of ours) {
      if (names.length > 0 && names[0] !== name) continue;
      for (const listener of listeners) stream.on(name, listener as (...values: unknown[]) => void);
    }
    return stream;
  };
  if ('setTimeout' in stream) return stream;
  return Object.defineProperties(stream, {
    setTimeout: { value: () => stream },
    readyState: { get: () => (stream.destroyed ? 'closed' : 'open') },
  });
}

/** Resolves after `ms`, or as soon as the client is gone. */
export function pause(ms: number, socket: Duplex): Promise<void> {
  return new Promise(resolve => {
    const done = (): void => {
      clearTimeout(timer);
      socket.off('close', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    socket.on('close', done);
  });
}
