import t from 'tap';
import { openWorlds, startUp, wrld, wrldGiven } from '../../kit/command-line.ts';

const worlds = await openWorlds();
t.teardown(() => worlds.remove());

t.test('[2.9] [4.6] [4.7] a link and its credential, from its making to its end', async t => {
  const folder = await worlds.make('linked');
  await using _up = await startUp(folder);
  t.match(await wrld(folder, 'world', 'link'), { code: 0, out: /No links/ });
  const early = await wrldGiven(folder, 'sk_1\n', 'world', 'credential', 'set', 'maps');
  t.match(early, { code: 1, err: /neither a root nor a link/ });
  t.match(await wrld(folder, 'world', 'link', 'set', 'maps', 'http://maps.test'), { code: 1, err: /https/ });
  t.match(await wrld(folder, 'world', 'link', 'set', 'maps'), { code: 2, err: /an origin/ });
  t.match(await wrld(folder, 'world', 'link', 'set', 'maps', 'https://api.maps.test'), {
    code: 0,
    out: /\/acme\/shop\/maps\/… forwards to https:\/\/api\.maps\.test/,
  });
  t.match(await wrldGiven(folder, 'sk_1\n', 'world', 'credential', 'set', 'maps'), {
    code: 0,
    out: /maps: sealed for https:\/\/api\.maps\.test/,
  });
  t.match(await wrld(folder, 'world', 'credential'), {
    code: 0,
    out: /maps\s+https:\/\/api\.maps\.test\s.*by the host’s key/,
  });
  const listed = JSON.parse((await wrld(folder, 'world', 'credential', '--json')).out);
  t.match(listed, {
    credentials: [
      { vendor: 'stripe', sealed: false },
      { vendor: 'maps', sealed: true, sealedBy: 'key', boundTo: 'https://api.maps.test' },
    ],
  });
  t.match(await wrld(folder, 'world', 'credential', 'rewrap'), {
    code: 0,
    out: /0 wrapped again, 0 current already\nmaps: left as it was: a host’s key wraps it/,
  });
  t.match(JSON.parse((await wrld(folder, 'world', 'link', '--json')).out), {
    links: [{ name: 'maps', origin: 'https://api.maps.test' }],
  });
  t.match(await wrld(folder, 'world', 'link', 'remove', 'maps'), { code: 0, out: /is removed/ });
  t.match(await wrld(folder, 'world', 'link', 'remove', 'maps'), { code: 1, err: /no link maps/ });
  t.notMatch((await wrld(folder, 'world', 'credential', '--json')).out, /maps/);
});
