// Every product this twin models, in the order in which they build on one another: a product takes values from those
// that stand before it and from api/, never the other way (test/twins/stripe/products.test.ts). Types go both ways.
import { apps } from './apps/product.ts';
import { balance } from './balance/product.ts';
import { billing } from './billing/product.ts';
import { catalog } from './catalog/product.ts';
import { checkout } from './checkout/product.ts';
import { connect } from './connect/product.ts';
import { customers } from './customers/product.ts';
import { entitlements } from './entitlements/product.ts';
import { events } from './events/product.ts';
import { files } from './files/product.ts';
import { identity } from './identity/product.ts';
import { invoicing } from './invoicing/product.ts';
import { issuing } from './issuing/product.ts';
import { payments } from './payments/product.ts';
import { quotes } from './quotes/product.ts';
import { reporting } from './reporting/product.ts';
import { subscriptions } from './subscriptions/product.ts';
import { tax } from './tax/product.ts';
import { terminal } from './terminal/product.ts';

export const PRODUCTS = [
  events,
  files,
  catalog,
  tax,
  balance,
  payments,
  connect,
  reporting,
  invoicing,
  subscriptions,
  billing,
  customers,
  quotes,
  entitlements,
  checkout,
  terminal,
  issuing,
  identity,
  apps,
] as const;
