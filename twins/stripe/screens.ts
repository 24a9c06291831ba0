// Every screen this twin shows.
import { invoiceScreen, portalScreen } from './billing/screens.ts';
import { checkoutScreen, linkScreen, recoveryScreen } from './checkout/screens.ts';
import { oauthScreens } from './connect/oauth.ts';
import { onboardingScreen } from './connect/onboarding.ts';
import { identityScreen } from './identity/sessions.ts';
import { actionScreens } from './payments/complete-action.ts';
import type { Screen } from './screen.ts';

export const SCREENS: readonly Screen[] = [
  checkoutScreen,
  linkScreen,
  recoveryScreen,
  ...actionScreens,
  identityScreen,
  ...oauthScreens,
  onboardingScreen,
  invoiceScreen,
  portalScreen,
];
