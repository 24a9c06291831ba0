// The real Stripe, for worlds that have it behind the twin.
import type { RealVendor } from '../../kit/real-vendor.ts';
import { adopt } from './adopt.ts';
import { stripeDeploys } from './deploy.ts';
import { ingestsWith } from './ingests.ts';
import { stripeObserves } from './observe.ts';

/** A publishable key opens nothing that a root is asked. */
const PUBLISHABLE = /^pk_/;

export const stripeVendor: RealVendor = {
  authorize: credential => {
    if (PUBLISHABLE.test(credential)) throw new TypeError('a publishable key, where a secret one belongs');
    return [['Authorization', `Bearer ${credential}`]];
  },
  ingests: ingestsWith(() => stripeVendor.adopt),
  adopt,
  observes: stripeObserves,
  deploys: stripeDeploys,
};
