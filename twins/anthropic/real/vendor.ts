// The real Anthropic, for worlds that have it behind the twin.
import type { RealVendor } from '../../kit/real-vendor.ts';
import { adopt } from './adopt.ts';
import { anthropicDeploys } from './deploy.ts';

export const anthropicVendor: RealVendor = {
  authorize: credential => [['x-api-key', credential]],
  adopt,
  deploys: anthropicDeploys,
};
