// Look-ups of names on sockets: a datagram each, or over TCP, where each message has its length before it (RFC 1035 4.2.2).
import type { Socket as DatagramSocket } from 'node:dgram';
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

export function answerDatagrams(socket: DatagramSocket, names: NameTable): void {
  socket.on('error', () => {});
  socket.on('message', (message, from) => {
    const answer = dnsAnswer(message, names);
    if (answer !== null) socket.send(answer, from.port, from.address, () => {});
  });
}
