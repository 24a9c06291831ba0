import t from 'tap';
import { Refusal, RefusedReply } from '../../../twins/kit/refusal.ts';

t.test('a refusal says what it refuses, and nothing of where', async t => {
  const frames = (error: Error): number => (error.stack ?? '').split('\n    at ').length - 1;
  const refusal = new Refusal(404, 'not_found', 'No such note.', { id: 'a' });
  t.match(refusal, { name: 'Refusal', message: 'No such note.', status: 404, code: 'not_found' });
  t.match(refusal.details, { id: 'a' });
  const reply = { status: 404, headers: [], body: '' };
  const refused = new RefusedReply(reply);
  t.equal(refused.reply, reply);
  t.same([frames(refusal), frames(refused)], [0, 0]);
  t.ok(refusal instanceof Error && refused instanceof Error);
  t.ok(frames(new Error('a bug')) > 0, 'an error that is a bug says where');
});
