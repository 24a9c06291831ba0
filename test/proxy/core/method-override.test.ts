import t from 'tap';
import { judgedMethod, overriddenBy } from '../../../proxy/core/method-override.ts';

t.test('[bad-input Method] of several overrides the first that is no read decides', async t => {
  const of = (...values: string[]): string | null =>
    values.reduce<string | null>((known, value) => overriddenBy(known, value), null);
  t.equal(of('get', 'delete'), 'DELETE');
  t.equal(of('DELETE', 'GET'), 'DELETE');
  t.equal(of('put', 'delete'), 'PUT');
  t.equal(of('GET', 'HEAD'), 'HEAD');
  t.equal(of('GET, DELETE'), 'GET, DELETE', 'a list of them is no read');
});

t.test('[bad-input Method] a read is judged as what it asks to be, a write as itself', async t => {
  const rows: readonly (readonly [string, string | null, string, string])[] = [
    ['GET', null, '/', 'GET'],
    ['GET', 'HEAD', '/', 'GET'],
    ['GET', 'DELETE', '/', 'DELETE'],
    ['POST', 'GET', '/', 'POST'],
    ['GET', null, '/a?_method=DELETE', 'DELETE'],
    ['GET', null, '/a?x=1&_method=put', 'PUT'],
    ['GET', null, '/a?_method=get', 'GET'],
    ['GET', null, '/a?_method=get&_method=delete', 'DELETE'],
    ['GET', null, '/a?%5fm%65thod=DELETE', 'DELETE'],
    ['GET', null, '/a?.method=DELETE', 'DELETE'],
    ['GET', null, '/a?+_method=DELETE', 'DELETE'],
    ['GET', null, '/a?x;_method=DELETE', 'DELETE'],
    ['GET', null, '/a?payment_method=card', 'GET'],
    ['GET', null, '/a?q=_method', 'GET'],
    ['GET', null, '/_method=DELETE', 'GET'],
    ['POST', null, '/a?_method=GET', 'POST'],
  ];
  for (const [method, override, target, judged] of rows)
    t.equal(judgedMethod(method, override, target), judged, `${method} ${target} ${override}`);
});
