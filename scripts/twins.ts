// The twins of this project, for what is written about all of them.
import { ANTHROPIC_MANIFEST } from '../twins/anthropic/manifest.ts';
import type { Manifest } from '../twins/kit/manifest.ts';
import { OPENAI_MANIFEST } from '../twins/openai/manifest.ts';
import { SMTP_MANIFEST } from '../twins/smtp/manifest.ts';
import { STRIPE_MANIFEST } from '../twins/stripe/manifest.ts';
import type { Coverage } from './coverage.ts';
import { anthropicCoverage, openaiCoverage } from './llm-coverage.ts';
import { smtpCoverage } from './smtp-coverage.ts';
import { stripeCoverage } from './stripe-coverage.ts';

export type Described = {
  readonly name: string;
  /** What it is, for who has never heard of it. */
  readonly about: string;
  readonly manifest: Manifest;
  readonly coverage: Coverage;
};

export function describedTwins(): readonly Described[] {
  return [
    {
      name: 'Stripe',
      about: 'payments, billing, Connect, Issuing; its pages where people pay; signed webhooks',
      manifest: STRIPE_MANIFEST,
      coverage: stripeCoverage(),
    },
    {
      name: 'OpenAI',
      about: 'chat, responses, embeddings, files, batches, realtime; you write what the model says',
      manifest: OPENAI_MANIFEST,
      coverage: openaiCoverage(),
    },
    {
      name: 'Anthropic',
      about: 'messages, token counts, batches; you write what the model says',
      manifest: ANTHROPIC_MANIFEST,
      coverage: anthropicCoverage(),
    },
    {
      name: 'SMTP',
      about: 'a mail server that sends nothing on, and an inbox to look at',
      manifest: SMTP_MANIFEST,
      coverage: smtpCoverage(),
    },
  ];
}
