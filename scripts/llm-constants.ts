// Why fields of the objects of language models' twins have one value. A test holds both against each other.
import type { CONSTANT_FIELDS } from './stripe-constants.ts';

export const LLM_CONSTANT_FIELDS: { readonly [vendor: string]: typeof CONSTANT_FIELDS } = {
  openai: [
    {
      why: 'what is told of is deleted',
      fields: [
        'chat.completion.deleted.deleted',
        'conversation.deleted.deleted',
        'file.deleted',
        'vector_store.deleted.deleted',
        'vector_store.file.deleted.deleted',
      ],
    },
    { why: 'nothing runs in a container that could make a file', fields: ['container.file.source'] },
    { why: 'a world is one organization', fields: ['fine_tuning.job.organization_id'] },
    {
      why: 'a session starts so, and is given another value by an update of it',
      fields: ['realtime.session.include', 'realtime.session.tracing'],
    },
  ],
  anthropic: [
    { why: 'only what a tool made can be downloaded, and no tool runs here', fields: ['file.downloadable'] },
    { why: 'no code runs, so that there is no container for it', fields: ['message.container'] },
    {
      why: 'nothing is diagnosed, and no answer is stopped for what it says',
      fields: ['message.diagnostics', 'message.stop_details'],
    },
    { why: 'results are not taken away after their 29 days', fields: ['message_batch.archived_at'] },
    {
      why: 'models are told by their names and dates alone',
      fields: ['model.capabilities', 'model.deprecated_at', 'model.lifecycle', 'model.retires_at'],
    },
  ],
};
