// …/checks and verify over the endpoints (2.13, 4.7, 5.6, 7.3): statuses, bodies, who may.
import t from 'tap';
import { openTestSite, type TestSite } from '../../kit/site.ts';

const SOURCE = "export const check = { name: 'none', run() {} };";

const asker =
  (site: TestSite, token = site.token) =>
  (method: string, path: string, body: string = '') =>
    site.ask({ method, target: `/-/acme/notes/${path}`, headers: [['x-wrld-token', token]], body });

t.test('[4.7] checks are set, listed, run and removed', async t => {
  await using site = await openTestSite();
  const ask = asker(site);
  t.match(await ask('GET', 'checks'), { status: 200, json: { checks: [] } });
  t.match(await ask('PUT', 'checks/none', SOURCE), { status: 200, json: { name: 'none', source: SOURCE } });
  t.match((await ask('GET', 'checks')).json, { checks: [{ name: 'none', source: SOURCE }] });
  await site.notes.ask('PUT', '/notes/a', { n: 1 });
  await ask('POST', 'changesets', '{"message":"m","name":"cs"}');
  t.match(await ask('POST', 'changesets/cs/verify'), {
    status: 200,
    json: { verification: { ok: true, failures: [] }, readiness: { ready: true } },
  });
  t.match(
    await ask(
      'PUT',
      'checks/never',
      "export default { name: 'n', run() { return { ok: false, message: 'no' }; } };",
    ),
    {
      status: 200,
    },
  );
  t.match((await ask('POST', 'changesets/cs/verify')).json, {
    verification: { ok: false, failures: [{ check: 'never', entry: 'note:1', message: 'no' }] },
    readiness: { ready: false, reasons: ['verify-failed'] },
  });
  t.equal((await ask('DELETE', 'checks/never')).status, 204);
  t.match(await ask('DELETE', 'checks/never'), { status: 404, json: { error: { code: 'no-such-check' } } });
  t.match(await ask('POST', 'changesets/none/verify'), { status: 404 });
});

t.test('[7.3] what is no check is refused, and by whom one may be set', async t => {
  await using site = await openTestSite();
  const ask = asker(site);
  t.match(await ask('PUT', 'checks/c', 'export const check = {\n name: ;\n};'), {
    status: 400,
    json: { error: { code: 'no-check', message: /line 2/ } },
  });
  t.match(await ask('PUT', 'checks/C', SOURCE), { status: 400, json: { error: { code: 'bad-name' } } });
  t.match(await ask('PUT', 'checks/c', 'x'.repeat(300_000)), { status: 413 });
  const key = await ask('POST', 'keys', '{"name":"ci"}');
  const byKey = asker(site, key.json.key);
  t.match(await byKey('PUT', 'checks/c', SOURCE), { status: 403 });
  t.match(await byKey('DELETE', 'checks/c'), { status: 403 });
  t.match(await byKey('GET', 'checks'), { status: 200 });
  t.match(await asker(site, site.readToken)('POST', 'changesets/c/verify'), { status: 403 });
});
