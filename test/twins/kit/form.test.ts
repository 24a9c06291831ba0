// Bytes from clients become plain values: forms and routes.
import t from 'tap';
import { decodeForm, type FormNode } from '../../../twins/kit/form.ts';
import { FORM_DEPTH_MAX, FORM_FIELDS_MAX } from '../../../twins/kit/limits.ts';
import { compileRoutes } from '../../../twins/kit/routes.ts';

function plain(node: FormNode): unknown {
  return typeof node === 'string'
    ? node
    : Object.fromEntries([...node].map(([name, inner]) => [name, plain(inner)]));
}

t.test('[4.1 form] what brackets write', async t => {
  const table: readonly [string, unknown][] = [
    ['', {}],
    ['a=1&b=2', { a: '1', b: '2' }],
    ['a[b][0]=c', { a: { b: { 0: 'c' } } }],
    [
      'items[0][price]=p&items[0][quantity]=2&items[1][price]=q',
      { items: { 0: { price: 'p', quantity: '2' }, 1: { price: 'q' } } },
    ],
    ['expand[]=x&expand[]=y', { expand: { 0: 'x', 1: 'y' } }],
    ['i[][p]=1&i[][q]=2&i[][p]=3', { i: { 0: { p: '1', q: '2' }, 1: { p: '3' } } }],
    ['name=A+B%20C%26', { name: 'A B C&' }],
    ['a%5Bb%5D=1', { a: { b: '1' } }],
    ['a=1&a=2', { a: '2' }],
    ['a', { a: '' }],
    ['&&a=1&', { a: '1' }],
    ['metadata[order=id]=7', null],
  ];
  for (const [text, wanted] of table) {
    const decoded = decodeForm(text);
    t.same(decoded.ok ? plain(decoded.form) : null, wanted, text);
  }
});

t.test('[4.1 form] names such as __proto__ are only names', async t => {
  const decoded = decodeForm('__proto__[polluted]=1&constructor[prototype][x]=2&a[__proto__]=3');
  t.ok(decoded.ok);
  t.equal(({} as { polluted?: string }).polluted, undefined);
  t.equal(({} as { x?: string }).x, undefined);
  t.ok(decoded.ok && decoded.form.has('__proto__'));
});

t.test('[4.1 form] what is refused', async t => {
  for (const [text, why] of [
    ['a[b=1', 'malformed'],
    ['[a]=1', 'malformed'],
    ['a[b]c=1', 'malformed'],
    ['a[[b]]=1', 'malformed'],
    ['a=1&a[b]=2', 'malformed'],
    ['a[b]=2&a=1', 'malformed'],
    ['a=%zz', 'malformed'],
    [`a${'[b]'.repeat(FORM_DEPTH_MAX)}=1`, 'too-deep'],
    [
      Array(FORM_FIELDS_MAX + 1)
        .fill('a=1')
        .join('&'),
      'too-many',
    ],
  ] as const) {
    const decoded = decodeForm(text);
    t.equal(decoded.ok ? 'ok' : decoded.why, why, text.slice(0, 40));
  }
  t.ok(decodeForm(`a${'[b]'.repeat(FORM_DEPTH_MAX - 1)}=1`).ok, 'as deep as may be');
});

t.test('[4.1 routes] fixed before braces, methods of a path, no two alike', async t => {
  const route = compileRoutes([
    { method: 'GET', path: '/v1/customers/{customer}' },
    { method: 'GET', path: '/v1/customers/search' },
    { method: 'POST', path: '/v1/customers/{id}' },
    { method: 'GET', path: '/v1/customers/{customer}/sources/{id}' },
  ]);
  const found = (method: string, path: string): unknown => {
    const match = route(method, path);
    return match.ok ? [match.route.path, { ...match.params }] : match.methods;
  };
  t.same(found('GET', '/v1/customers/cus_1'), ['/v1/customers/{customer}', { customer: 'cus_1' }]);
  t.same(found('GET', '/v1/customers/search'), ['/v1/customers/search', {}]);
  t.same(found('POST', '/v1/customers/search'), ['/v1/customers/{id}', { id: 'search' }]);
  t.same(found('GET', '/v1/customers/a%2Fb/'), ['/v1/customers/{customer}', { customer: 'a/b' }]);
  t.same(found('GET', '/v1/customers/a/sources/b'), [
    '/v1/customers/{customer}/sources/{id}',
    { customer: 'a', id: 'b' },
  ]);
  t.same(found('DELETE', '/v1/customers/a'), ['GET', 'POST']);
  t.same(found('GET', '/v1/customers'), []);
  t.same(found('GET', '/v1/customers//'), []);
  t.throws(
    () =>
      compileRoutes([
        { method: 'GET', path: '/a/{b}' },
        { method: 'GET', path: '/a/{c}' },
      ]),
    /two routes/,
  );
});

t.test(
  '[4.1 routes] text around braces: the longest wins, fixed before it and braces alone after',
  async t => {
    const route = compileRoutes(
      ['{sid}', '{sid}.json', 'v{number}.json', 'list.json', '{base}.tar.gz'].map(last => ({
        method: 'GET',
        path: `/calls/${last}`,
      })),
    );
    for (const [segment, path, params] of [
      ['list.json', 'list.json', {}],
      ['a.json', '{sid}.json', { sid: 'a' }],
      ['a%2Fb.json', '{sid}.json', { sid: 'a/b' }],
      ['v7.json', 'v{number}.json', { number: '7' }],
      ['v.json', '{sid}.json', { sid: 'v' }],
      ['.json', '{sid}', { sid: '.json' }],
      ['main.tar.gz', '{base}.tar.gz', { base: 'main' }],
      ['a.xml', '{sid}', { sid: 'a.xml' }],
    ] as const) {
      const match = route('GET', `/calls/${segment}`);
      t.ok(match.ok && match.route.path === `/calls/${path}`, segment);
      t.same(match.ok && { ...match.params }, params);
    }
    for (const segment of ['{base}...{head}', '{a', 'a}', '{a}}', '{{a}'])
      t.throws(
        () => compileRoutes([{ method: 'GET', path: `/x/${segment}` }]),
        /one \{name\} is taken/,
        segment,
      );
    t.throws(
      () => compileRoutes(['{a}.json', '{b}.json'].map(last => ({ method: 'GET', path: `/x/${last}` }))),
      /two routes/,
    );
  },
);
