// mockttp passing every request through, as its users run it to watch traffic. Argument: the port to take.
import './loopback-names.ts';
import { generateCACertificate, getLocal } from 'mockttp';
import { ready } from '../child.ts';

const { key, cert } = await generateCACertificate();
const server = getLocal({ https: { key, cert }, recordTraffic: false, http2: false });
await server.forAnyRequest().thenPassThrough();
await server.start(Number(process.argv[2]));
ready({ port: server.port, ca: cert });
