// One search over everything: an id leads to its object, and words to the customers and the products that are called so.
import { html } from '../../kit/html.ts';
import type { Reply } from '../../kit/reply.ts';
import { customerColumns } from './customers.ts';
import { framed } from './frame.ts';
import { seeOther } from './once.ts';
import { customersCalled } from './people.ts';
import { products } from './products.ts';
import { section } from './table.ts';
import { pageOfId, type Visit } from './visit.ts';

export function searchPage(visit: Visit): Reply {
  const asked = (visit.query.get('query') ?? '').trim();
  const page = /^\w+$/.test(asked) ? pageOfId(asked) : null;
  if (page !== null) return seeOther(`${visit.base}${page}`);
  const people = asked === '' ? [] : customersCalled(visit, asked);
  const list = products.list!;
  const sold = asked === '' ? [] : (list.byWords?.(visit, asked) ?? []);
  const body = html`${people.length + sold.length > 0 ? null : NOTHING}
${section(visit, 'Customers', customerColumns, people)}${section(visit, 'Products', list.columns, sold)}`;
  return framed(visit, { title: 'Search', at: 'search', body });
}

const NOTHING = html`<div class="card empty"><p>Nothing is called so.</p>
<p class="quiet">An id (<code>cus_…</code>, <code>pi_…</code>), the whole of an email, a name or a phone number finds its object.
The lists take the API’s queries besides, such as <code>email:"ada@example.com"</code> or <code>metadata["order"]:"42"</code>.</p></div>`;
