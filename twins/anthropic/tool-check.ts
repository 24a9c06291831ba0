// Tools and structured output of a Messages request, checked as Anthropic checks them.
import {
  arrayField,
  field,
  isJsonObject,
  type Json,
  type JsonObject,
  objectField,
  textField,
} from '../kit/json.ts';
import { openObjectIn } from '../kit/strict-schema.ts';
import { invalid } from './errors.ts';

const NAME = /^[a-zA-Z0-9_-]{1,128}$/;
const CHOICES = ['auto', 'any', 'tool', 'none'];

/** Throws what Anthropic would say of tools, of a choice among them or of a schema that it does not take. */
export function checkTools(body: JsonObject): void {
  const tools = arrayField(body, 'tools');
  const names = new Set<string>();
  for (const [index, tool] of tools.entries()) {
    checkTool(tool, `tools.${index}`);
    const name = textField(tool, 'name');
    if (name === null) continue;
    if (names.has(name)) throw invalid('tools: Tool names must be unique.');
    names.add(name);
  }
  checkChoice(objectField(body, 'tool_choice'), tools.length, names);
  const format =
    objectField(objectField(body, 'output_config'), 'format') ?? objectField(body, 'output_format');
  if (textField(format, 'type') === 'json_schema')
    checkClosed(field(format, 'schema'), 'output_config.format.schema');
}

/** One of the caller's own; those of the vendor's have a type of their own. */
function checkTool(tool: Json, place: string): void {
  if (!isJsonObject(tool)) throw invalid(`${place}: Input should be a valid dictionary`);
  const type = textField(tool, 'type');
  if (type !== null && type !== 'custom') return;
  const name = textField(tool, 'name');
  if (name === null) throw invalid(`${place}.custom.name: Field required`);
  if (!NAME.test(name))
    throw invalid(`${place}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`);
  const schema = field(tool, 'input_schema');
  if (schema === undefined) throw invalid(`${place}.custom.input_schema: Field required`);
  if (!isJsonObject(schema))
    throw invalid(`${place}.custom.input_schema: Input should be a valid dictionary`);
  const kind = field(schema, 'type');
  if (kind === undefined) throw invalid(`${place}.custom.input_schema.type: Field required`);
  if (kind !== 'object') throw invalid(`${place}.custom.input_schema.type: Input should be 'object'`);
  if (field(tool, 'strict') === true) checkClosed(schema, `${place}.custom`);
}

function checkClosed(schema: Json | undefined, place: string): void {
  if (openObjectIn(schema ?? {}) !== null)
    throw invalid(`${place}: For 'object' type, 'additionalProperties' must be explicitly set to false`);
}

function checkChoice(choice: JsonObject | null, count: number, names: ReadonlySet<string>): void {
  if (choice === null) return;
  const type = textField(choice, 'type');
  if (type === null || !CHOICES.includes(type))
    throw invalid(
      `tool_choice: Input tag '${type ?? ''}' found using 'type' does not match any of the expected tags: 'auto', 'any', 'tool', 'none'`,
    );
  if ((type === 'any' || type === 'tool') && count === 0)
    throw invalid('tool_choice: tool_choice may only be specified while providing tools.');
  if (type !== 'tool') return;
  const name = textField(choice, 'name');
  if (name === null) throw invalid('tool_choice.tool.name: Field required');
  if (!names.has(name)) throw invalid(`Tool '${name}' not found in provided tools`);
}
