import t from 'tap';
import { openStripeWorld } from '../../../kit/stripe-world.ts';

t.test('[4.1] a destination at AWS is an event source of the region that is asked for', async t => {
  await using made = await openStripeWorld();
  const destination = await made.stripe.v2.core.eventDestinations.create({
    name: 'Bus',
    type: 'amazon_eventbridge',
    event_payload: 'thin',
    enabled_events: ['v1.billing.meter.error_report_triggered'],
    amazon_eventbridge: { aws_account_id: '123456789012', aws_region: 'eu-west-1' },
  });
  t.same(destination.amazon_eventbridge, {
    aws_account_id: '123456789012',
    aws_event_source_arn: `arn:aws:events:eu-west-1::event-source/aws.partner/stripe.com/${destination.id}`,
    aws_event_source_status: 'pending',
  });
});
