// Where a document goes that a command was asked for.
import { closeSync, fstatSync, openSync, writeSync } from 'node:fs';
import { resolve } from 'node:path';

/** Opened before the command begins, so that a place that cannot be written is known in time. */
export type Sink = Disposable & { write(text: string): void };

/** A file, or a number: a descriptor that is open. */
export function openSink(where: string, folder: string): Sink | string {
  const number = /^\d{1,4}$/.test(where) ? Number(where) : null;
  try {
    if (number !== null) fstatSync(number);
    const descriptor = number ?? openSync(resolve(folder, where), 'w');
    return {
      write: text => writeWhole(descriptor, text),
      [Symbol.dispose]: () => {
        if (number === null) closeSync(descriptor);
      },
    };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return number === null
      ? `${where} cannot be written (${code})`
      : `descriptor ${where} is not open (${code}); a shell opens it with ${where}> result.json`;
  }
}

function writeWhole(descriptor: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(descriptor, bytes, at);
    } catch (error) {
      // A pipe whose reader is slower.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    }
  }
}
