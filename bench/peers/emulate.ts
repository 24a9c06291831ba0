// emulate's Stripe, as its users run it from a test.
import { createEmulator } from 'emulate';
import { ready } from '../child.ts';

const emulator = await createEmulator({ service: 'stripe', port: Number(process.argv[2]) });
ready({ url: emulator.url });
