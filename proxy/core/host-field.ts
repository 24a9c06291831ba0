// The authority that was judged, as a Host field: its port only where it is not the scheme's own.
import type { Ask } from '../../policy/ask.ts';
import { formatAuthority } from '../../policy/authority.ts';

export function hostField({ authority, scheme }: Pick<Ask, 'authority' | 'scheme'>): string {
  return authority.ok ? formatAuthority(authority, scheme) : '';
}
