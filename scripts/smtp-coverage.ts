// What the SMTP twin understands of the protocol, word by word.
import {
  COMMANDS,
  EXTENSIONS,
  OTHER_COMMANDS,
  OTHER_EXTENSIONS,
  OTHER_PARAMETERS,
  PARAMETERS,
} from '../twins/smtp/protocol.ts';
import type { Counted } from './constants.ts';
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

/** The parameters of commands. What is taken is looked at by the server, and its answers are made by what they tell of. */
export function smtpGaps(): {
  readonly refused: Counted;
  readonly ignored: Counted;
  readonly constants: Counted;
} {
  const named = (of: typeof PARAMETERS): readonly string[] =>
    Object.entries(of).flatMap(([word, names]) => names.map(name => `${word}: ${name}`));
  const [taken, missing] = [named(PARAMETERS), named(OTHER_PARAMETERS)];
  return {
    refused: { of: taken.length + missing.length, missing },
    // Who vouches for the sender is for a server that sends on, which this one is not.
    ignored: { of: taken.length, missing: ['MAIL: AUTH'] },
    constants: { of: 0, missing: [] },
  };
}
