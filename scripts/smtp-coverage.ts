// What the SMTP twin understands of the protocol, word by word.
import { COMMANDS, EXTENSIONS, OTHER_COMMANDS, OTHER_EXTENSIONS } from '../twins/smtp/protocol.ts';
import { type Coverage, type Covered, coverageOf } from './coverage.ts';

const row =
  (tier: Covered['tier']) =>
  (route: string): Covered => ({
    ...{ route, names: [], tier },
    ...(route === 'DATA' ? { undeployed: 'no mail is sent on' } : {}),
  });

export function smtpCoverage(): Coverage {
  return coverageOf({
    vendor: 'smtp',
    counted: 'commands and extensions of submission servers',
    operations: [
      ...[...COMMANDS, ...EXTENSIONS].map(row('modelled')),
      ...[...OTHER_COMMANDS, ...OTHER_EXTENSIONS].map(row('unmodelled')),
    ],
  });
}
