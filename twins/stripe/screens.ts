// Every screen this twin shows.

import type { Screen } from './api/screen.ts';
import { portalScreen } from './billing/portal-screen.ts';
import { checkoutScreen, linkScreen, recoveryScreen } from './checkout/screens.ts';
import { oauthScreens } from './connect/oauth.ts';
import { onboardingScreen } from './connect/onboarding.ts';
import { DASHBOARD, DASHBOARD_FRONT } from './dashboard/screens.ts';
import { identityScreen } from './identity/sessions.ts';
import { documentScreens } from './invoicing/documents.ts';
import { invoiceScreen } from './invoicing/screen.ts';
import { actionScreens } from './payments/complete-action.ts';

/** Where a payer is sent. */
const HOSTED: readonly Screen[] = [
  checkoutScreen,
  linkScreen,
  recoveryScreen,
  ...actionScreens,
  identityScreen,
  ...oauthScreens,
  onboardingScreen,
  invoiceScreen,
  ...documentScreens,
  portalScreen,
];

export const SCREENS: readonly Screen[] = [...HOSTED, ...DASHBOARD];

/** What the manifest names. */
export const FRONT_SCREENS: readonly Screen[] = [...HOSTED, ...DASHBOARD_FRONT];
