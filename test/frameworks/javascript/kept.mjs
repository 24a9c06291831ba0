// What OpenAI keeps of a program's turns, read back by its own SDK, which two of the frameworks bring along: who asked what and
// was answered what, in order.
import OpenAI from 'openai';

const vendor = new OpenAI();

/** Of a response and those before it. */
export async function keptByResponse(last) {
  const texts = [];
  for (let id = last; id !== null; ) {
    const { previous_response_id, output_text } = await vendor.responses.retrieve(id);
    const asked = await textsOf(vendor.responses.inputItems.list(id, { order: 'asc' }));
    texts.unshift(...asked, `assistant: ${output_text}`);
    id = previous_response_id ?? null;
  }
  return texts;
}

export const newConversation = async () => (await vendor.conversations.create()).id;

export const keptInConversation = id => textsOf(vendor.conversations.items.list(id, { order: 'asc' }));

/** Of a stored chat completion, which is asked with all of the turns before it. */
export async function keptAsChat(id) {
  const { choices } = await vendor.chat.completions.retrieve(id);
  const asked = await textsOf(vendor.chat.completions.messages.list(id, { order: 'asc' }));
  return [...asked, `assistant: ${choices[0].message.content}`];
}

async function textsOf(items) {
  const texts = [];
  for await (const { role, content } of items) {
    const text = typeof content === 'string' ? content : content.map(part => part.text).join('');
    // Some frameworks keep the program's instructions as well.
    if (role === 'user' || role === 'assistant') texts.push(`${role}: ${text}`);
  }
  return texts;
}
