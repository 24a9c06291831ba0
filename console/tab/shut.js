// What a program gets of a socket or a stream that is refused: as the platform's own when nothing answers, an error and the
// end, each in a task of its own. The error's event has the refusal as `error`.

/** `on<type>` as a property, for each. @param {EventTarget} target @param {readonly string[]} types */
export function handlers(target, types) {
  for (const type of types) {
    /** @type {((event: Event) => unknown) | null} */
    let handler = null;
    target.addEventListener(type, event => handler?.call(target, event));
    Object.defineProperty(target, `on${type}`, {
      get: () => handler,
      set: next => {
        handler = typeof next === 'function' ? next : null;
      },
    });
  }
}

/** @param {Error} error */
export function errorEvent(error) {
  return Object.assign(new Event('error'), { error, message: error.message });
}

/** @param {string} url @param {Error} error */
export function shutSocket(url, error) {
  const closed = 3;
  const socket = Object.assign(new EventTarget(), {
    ...{ CONNECTING: 0, OPEN: 1, CLOSING: 2, CLOSED: closed },
    ...{ url, readyState: 0, bufferedAmount: 0, extensions: '', protocol: '', binaryType: 'blob' },
    send() {
      if (socket.readyState === 0) throw new DOMException('Still in CONNECTING state.', 'InvalidStateError');
    },
    close() {},
  });
  handlers(socket, ['open', 'message', 'error', 'close']);
  setTimeout(() => {
    socket.readyState = closed;
    socket.dispatchEvent(errorEvent(error));
    setTimeout(() => {
      socket.dispatchEvent(new CloseEvent('close', { code: 1006, reason: '', wasClean: false }));
    });
  });
  return socket;
}

/** @param {string} url @param {Error} error */
export function shutSource(url, error) {
  const source = Object.assign(new EventTarget(), {
    ...{ CONNECTING: 0, OPEN: 1, CLOSED: 2, url, withCredentials: false, readyState: 0 },
    close() {},
  });
  handlers(source, ['open', 'message', 'error']);
  setTimeout(() => {
    source.readyState = 2;
    source.dispatchEvent(errorEvent(error));
  });
  return source;
}
