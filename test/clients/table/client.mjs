// What Node, bun or deno see of a world: see client.sh. The client's name is the first argument.
import { readFileSync } from 'node:fs';
import http from 'node:http';

const { env } = process;
const client = process.argv[2];
const say = (check, saw) => console.log(`${client}\t${check}\t${saw ? 'yes' : 'no'}`);
const ask = async (url, options) => {
  try {
    return await (await fetch(url, { signal: AbortSignal.timeout(20_000), ...options })).text();
  } catch (error) {
    return `${error.message} ${error.worldRefusal?.rule} ${error.code} ${error.cause?.code}`;
  }
};
say(
  'twin',
  (await ask(env.TWIN, { headers: { authorization: 'Bearer sk_test_x' } })).includes('/v1/customers'),
);
say('refusal', /not-granted|not granted/.test(await ask(env.REFUSED)));
say('grant', (await ask(`${env.GRANTED}/hello`)).includes('granted hello'));
const body = readFileSync(env.BIG);
const headers = { 'content-type': 'application/octet-stream' };
const up = await ask(`${env.GRANTED}/up`, { method: 'POST', body, headers });
say('up', up.includes('took 52428800'));
say('events', (await ask(`${env.GRANTED}/events`)).includes('event 3'));
say('trust', /cert|issuer|signed|UNABLE/i.test(await ask(`${env.UNTRUSTED}/`)));
say('loopback', (await ask(`${env.LOOPBACK}/`)).includes('outside'));
await new Promise(resolve => {
  const direct = http.get(`http://${client}${env.SLIP}/`, { agent: new http.Agent(), timeout: 3_000 });
  direct.on('response', answer => answer.resume().on('close', resolve));
  direct.on('error', resolve).on('timeout', () => direct.destroy());
});
process.exit();
