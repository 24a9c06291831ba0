// aimock, which answers for several model vendors: one fixture that takes whatever is said.
import { LLMock } from '@copilotkit/aimock';
import { ready } from '../child.ts';

const mock = new LLMock({ port: Number(process.argv[2]) });
mock.onMessage(/^/, { content: 'Hello! How can I help you today?' });
await mock.start();
ready({ url: mock.url });
