// Which of Stripe's products may build on which: values are imported along the order of products.ts and not against it.
import { globSync, readFileSync } from 'node:fs';
import { join, normalize } from 'node:path';
import t from 'tap';

const ROOT = join(import.meta.dirname, '..', '..', '..', 'twins', 'stripe');

/** The foot of the house, which knows of no product. The generic tier stands on top: it answers what no product does. */
const FOOT = ['api', 'test-cards'];

/** What a payment has for its sequel is the business of products above it. */
const SEQUELS = [
  'invoicing/collect.ts subscriptions',
  'payments/cash-operations.ts invoicing',
  'payments/complete-action.ts checkout',
  'payments/complete-action.ts invoicing',
  'payments/due.ts checkout',
  'payments/due.ts invoicing',
  'payments/intents.ts invoicing',
];

function productsInOrder(): readonly string[] {
  const text = readFileSync(join(ROOT, 'products.ts'), 'utf8');
  const list = /PRODUCTS = \[([^\]]*)\]/.exec(text)?.[1] ?? '';
  return [...list.matchAll(/\w+/g)].map(([name]) => name);
}

/** Files that a file takes values from; what is only a type leaves nothing behind. */
function valuesOf(file: string): readonly string[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  return [...text.matchAll(/^import (type )?(\{[^}]*\}|\w+) from '(\.[^']+)';/gm)].flatMap(
    ([, type, names = '', path = '']) => {
      const taken = names
        .replace(/[{}\s]/g, ' ')
        .split(',')
        .map(name => name.trim());
      const values = taken.filter(name => name !== '' && !name.startsWith('type '));
      return type !== undefined || values.length === 0 ? [] : [normalize(join(file, '..', path))];
    },
  );
}

t.test('a product takes values from those that stand before it', t => {
  const order = [...FOOT, ...productsInOrder()];
  const against = new Set<string>();
  for (const file of globSync('*/**/*.ts', { cwd: ROOT }).map(path => path.replaceAll('\\', '/'))) {
    const own = order.indexOf(file.slice(0, file.indexOf('/')));
    if (own < 0 || file.endsWith('.d.ts')) continue;
    for (const target of valuesOf(file)) {
      const name = target.slice(0, Math.max(0, target.indexOf('/')));
      if (name !== '' && order.indexOf(name) > own) against.add(`${file} ${name}`);
    }
  }
  t.same([...against].sort(), SEQUELS);
  t.end();
});
