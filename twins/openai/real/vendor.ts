// The real OpenAI, for worlds that have it behind the twin.
import type { RealVendor } from '../../kit/real-vendor.ts';
import { adopt } from './adopt.ts';
import { openaiDeploys } from './deploy.ts';

export const openaiVendor: RealVendor = {
  authorize: credential => [['Authorization', `Bearer ${credential}`]],
  adopt,
  deploys: openaiDeploys,
};
