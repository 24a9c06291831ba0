// The rules of 7.2, as the specification's table has them: what a record of each says, written down apart from the code.
import type { RuleName } from '../../policy/rules.ts';

export const RULE_TABLE: { readonly [rule in RuleName]: readonly [capability: string, missing: string] } = {
  'not-granted': ['network.egress', 'grant'],
  sealed: ['network.egress', 'grant'],
  'policy-unreadable': ['network.egress', 'grant'],
  invalid: ['network.egress', 'grant'],
  'unclaimed-path': ['network.egress', 'twin'],
  undeclared: ['network.egress', 'declaration'],
  'raw-socket-twinned': ['network.egress', 'transport'],
  'raw-socket-app': ['network.egress', 'transport'],
  'inspected-transport': ['network.egress', 'transport'],
  'guest-upgrade': ['network.egress', 'transport'],
  'guest-http2': ['network.egress', 'transport'],
  'guest-inspected': ['network.egress', 'transport'],
  'native-direct': ['network.egress', 'transport'],
  'service-undeclared': ['network.services', 'declaration'],
  'own-loopback-ungranted': ['network.ownLoopback', 'grant'],
  'guest-private': ['network.host', 'grant'],
  'host-undeclared': ['network.host', 'declaration'],
  'persist-undeclared': ['files.persist', 'declaration'],
  'read-undeclared': ['files.read', 'declaration'],
  'mount-outside-world': ['files.read', 'grant'],
  'read-invalid': ['files.read', 'declaration'],
};
