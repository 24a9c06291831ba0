// House rule: an error that nobody listens to ends the process. Whatever makes a server, a socket, a child, a thread or a
// watcher has a listener for its errors in the same file, or hands it to where that is.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { root, sourceFiles } from './tree.ts';

/** What emits `error`, where it is made. */
const MADE =
  /(?<=(?:[=(]|\breturn|=>)\s*)(?:create(?:Server|Connection|ReadStream|WriteStream)|connect|connectTcp|connectTls|spawn|fork|watch|request|requestInClear|requestInTls)\(|new (?:Worker|TLSSocket|WebSocket|WebSocketServer|SMTPServer)\(/g;
const MODULES =
  /from '(?:node:(?:net|tls|http|https|http2|child_process|worker_threads|fs|dgram)|ws|smtp-server)'/;
const HEARD = /\.(?:on|once)\(\s*'error'/g;

/** Those made in a file whose errors are heard in another, or cannot come. */
const ELSEWHERE: { readonly [file: string]: readonly [count: number, why: string] } = {
  'proxy/upstream/dial.ts': [1, '`socketAfter` listens to all that is dialled'],
  'proxy/workers.ts': [1, 'the probe for a free port listens by `once`, which rejects'],
};

t.test('whatever emits errors has somebody who listens', t => {
  const deaf = sourceFiles().flatMap(file => {
    const code = readFileSync(join(root, file), 'utf8').replaceAll(/^\s*(?:\/\/|\*|\/\*).*$/gm, '');
    if (!MODULES.test(code)) return [];
    const made = code.match(MADE)?.length ?? 0;
    const heard = (code.match(HEARD)?.length ?? 0) + (ELSEWHERE[file]?.[0] ?? 0);
    return made > heard ? [`${file}: makes ${made}, listens to ${heard}`] : [];
  });
  t.strictSame(deaf, []);
  t.end();
});

t.test('nothing is written by a stream of pino’s, which ends the process with the disk', t => {
  const streams = sourceFiles().filter(file =>
    /\bdestination\b[^;]*from 'pino'|pino\.(?:destination|transport)\(/.test(
      readFileSync(join(root, file), 'utf8'),
    ),
  );
  t.strictSame(streams, [], 'lines go through process/lines-out.ts');
  t.end();
});
