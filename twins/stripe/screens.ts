// Every screen this twin shows.
import { invoiceScreen, portalScreen } from './billing/screens.ts';
import { checkoutScreen, linkScreen } from './checkout/screens.ts';
import { identityScreen } from './identity/sessions.ts';
import { actionScreens } from './payments/complete-action.ts';
import type { Screen } from './screen.ts';

export const SCREENS: readonly Screen[] = [
  checkoutScreen,
  linkScreen,
  ...actionScreens,
  identityScreen,
  invoiceScreen,
  portalScreen,
];
