import t from 'tap';
import { KEY, openStripeWorld } from '../../../kit/stripe-world.ts';

t.test('[4.1] a file is linked to as it is uploaded, where that is asked for', async t => {
  await using made = await openStripeWorld();
  const { stripe } = made;
  const upload = async (create: boolean): Promise<string> => {
    const form = new FormData();
    form.set('purpose', 'dispute_evidence');
    form.set('file_link_data[create]', String(create));
    form.set('file_link_data[expires_at]', '1800000000');
    form.set('file_link_data[metadata][order]', '7');
    form.set('file', new Blob(['hello']), 'hello.txt');
    const sent = new Response(form);
    const { status, body } = await made.ask('POST', '/v1/files', {
      headers: { authorization: `Bearer ${KEY}`, 'content-type': sent.headers.get('content-type') ?? '' },
      body: new Uint8Array(await sent.arrayBuffer()),
    });
    t.equal(status, 200, JSON.stringify(body));
    return body.id;
  };
  const [linked, bare] = [await upload(true), await upload(false)];
  const { data } = await stripe.fileLinks.list({ file: linked });
  t.match(data, [{ file: linked, expires_at: 1_800_000_000, metadata: { order: '7' } }]);
  t.same((await stripe.fileLinks.list({ file: bare })).data, []);
});
