// smtp-server taking every mail and keeping none: what the protocol alone costs on Node.
import { SMTPServer } from 'smtp-server';
import { ready } from '../child.ts';

const server = new SMTPServer({
  authOptional: true,
  disableReverseLookup: true,
  logger: false,
  onData: (stream, _session, done) => {
    stream.on('end', () => done());
    stream.resume();
  },
});
const port = Number(process.argv[2]);
server.listen(port, '127.0.0.1', () => ready({ port }));
