// Look-ups of names over TCP: each message has its length before it (RFC 1035 4.2.2).
import type { Socket } from 'node:net';
import { dnsAnswer } from './dns-answer.ts';
import type { NameTable } from './name-table.ts';

export function answerOverTcp(socket: Socket, names: NameTable): void {
  let held: Buffer = Buffer.alloc(0);
  socket.on('error', () => socket.destroy());
  socket.on('end', () => socket.end());
  socket.on('data', (bytes: Buffer) => {
    held = Buffer.concat([held, bytes]);
    while (held.length >= 2 && held.length >= 2 + held.readUInt16BE(0)) {
      const end = 2 + held.readUInt16BE(0);
      const answer = dnsAnswer(held.subarray(2, end), names);
      held = held.subarray(end);
      if (answer === null) return void socket.destroy();
      const length = Buffer.alloc(2);
      length.writeUInt16BE(answer.length);
      socket.write(Buffer.concat([length, answer]));
    }
  });
}
