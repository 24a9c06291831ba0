// docs/frameworks.md: what each framework for language models is answered by the twins, as the frameworks' suite saw it.
import { readFile } from 'node:fs/promises';

export type Api = 'responses' | 'chat' | 'anthropic';

/** By row: whether the program and the world told the same, as expected; what is missing the program does not ask. */
export type Saw = { readonly [row: string]: boolean };

export type FrameworksTable = {
  /** By framework and language, then by API. */
  readonly rows: { readonly [framework: string]: { readonly [api: string]: Saw } };
  /** By language and package. */
  readonly versions: { readonly [name: string]: string };
};

const FILE = new URL('../test/frameworks/table.json', import.meta.url);

export const API_NAMES: { readonly [api in Api]: string } = {
  responses: 'OpenAI responses',
  chat: 'OpenAI chat completions',
  anthropic: 'Anthropic messages',
};

type Framework = {
  readonly name: string;
  readonly language: 'JavaScript' | 'Python';
  readonly package: string;
  readonly file: string;
  readonly apis: readonly Api[];
};

const ALL: readonly Api[] = ['responses', 'chat', 'anthropic'];
const OPENAI: readonly Api[] = ['responses', 'chat'];

export const FRAMEWORKS: readonly Framework[] = [
  { name: 'AI SDK', language: 'JavaScript', package: 'ai', file: 'ai-sdk.mjs', apis: ALL },
  {
    ...{ name: 'OpenAI Agents', language: 'JavaScript', package: '@openai/agents' },
    ...{ file: 'openai-agents.mjs', apis: OPENAI },
  },
  { name: 'LangChain', language: 'JavaScript', package: 'langchain', file: 'langchain.mjs', apis: ALL },
  {
    ...{ name: 'Mastra', language: 'JavaScript', package: '@mastra/core' },
    // It chooses the API of OpenAI's by itself.
    ...{ file: 'mastra.mjs', apis: ['responses', 'anthropic'] },
  },
  {
    ...{ name: 'Claude Agent SDK', language: 'JavaScript', package: '@anthropic-ai/claude-agent-sdk' },
    ...{ file: 'claude-agent.mjs', apis: ['anthropic'] },
  },
  {
    ...{ name: 'OpenAI Agents', language: 'Python', package: 'openai-agents' },
    ...{ file: 'openai_agents_rows.py', apis: OPENAI },
  },
  { name: 'LangChain', language: 'Python', package: 'langchain', file: 'langchain_rows.py', apis: ALL },
  { name: 'LiteLLM', language: 'Python', package: 'litellm', file: 'litellm_rows.py', apis: ALL },
  {
    ...{ name: 'Pydantic AI', language: 'Python', package: 'pydantic-ai-slim' },
    ...{ file: 'pydantic_ai_rows.py', apis: ALL },
  },
];

const ROWS: readonly (readonly [row: string, head: string])[] = [
  ['plain', 'answer'],
  ['stream', 'stream'],
  ['tool', 'tool'],
  ['structure', 'structure'],
  ['busy', '429'],
  ['refused', '400'],
  ['memory', 'memory'],
  ['kept', 'kept'],
  ['embed', 'embeddings'],
];

export async function makeFrameworksPage(): Promise<string> {
  const { rows, versions } = JSON.parse(await readFile(FILE, 'utf8')) as FrameworksTable;
  const head = ['framework', 'language', 'version', 'API', ...ROWS.map(([, name]) => name)];
  return [
    '# What frameworks for language models see of the twins',
    '',
    'Written by `npm run generate` of what `npm run test:frameworks` saw. Do not edit.',
    '',
    'Each is a program as the framework’s own pages show it: a model’s name, an API key, no address changed. It ran by',
    '`wrld world run`, and **yes** is said where what it told is also what the world’s own endpoints say was asked and',
    'answered.',
    '',
    `| ${head.join(' | ')} |`,
    `|${head.map(() => '---').join('|')}|`,
    ...FRAMEWORKS.flatMap(({ name, language, package: of, apis }) =>
      apis.map(api => {
        const saw = rows[`${name}, ${language}`]?.[api];
        const cells =
          saw === undefined
            ? ['not tried here', ...ROWS.slice(1).map(() => '')]
            : ROWS.map(([row]) => (saw[row] === undefined ? '–' : saw[row] ? 'yes' : '**no**'));
        const version = versions[`${language}: ${of}`] ?? '';
        return `| ${[name, language, version, API_NAMES[api], ...cells].join(' | ')} |`;
      }),
    ),
    '',
    '## What is asked',
    '- **answer**: a prompt; its echo comes back.',
    '- **stream**: the same in more than one piece.',
    '- **tool**: the model calls a function, the framework runs it once and brings its result, and the model ends.',
    '- **structure**: an object that fits a schema of the program’s.',
    '- **429**: the API is busy once; the framework asks again, and one answer is kept.',
    '- **400**: a refusal reaches the program with the vendor’s words, and nothing is kept.',
    '- **memory**: a second turn in which the model is told of the first.',
    '- **kept**: two turns that the framework has the vendor keep (in a conversation, by the id of the response before, as chat',
    '  completions that are stored: each of these that it has) are there as they were told, by the vendor’s own SDK.',
    '- **embeddings**: two texts, two vectors of the length that the model has.',
    '',
    'Mastra raises the 429 that its agent is answered with, where the others ask again; so does LiteLLM, but for OpenAI’s chat,',
    'until `num_retries` says otherwise.',
    '',
    'LiteLLM takes `store` for OpenAI’s chat and does not send it; the program here says it in `extra_body`, which is sent.',
    '',
    'The Claude Agent SDK installs more than 400 MB, nearly all of it the program that it starts for each conversation.',
    '',
    '“–”: the framework has no such thing, has it elsewhere, or was not asked.',
    '',
  ].join('\n');
}
