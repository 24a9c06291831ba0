// Small faults that a test should notice, each a change of a few characters of one source file (mutate.ts).
import { stripTypeScriptTypes } from 'node:module';
import { type AnyNode, parse } from 'acorn';

export type Mutant = {
  /** Relative to the root. */
  readonly file: string;
  /** Characters of the source that are replaced. */
  readonly start: number;
  readonly end: number;
  readonly becomes: string;
  /** 1 is the first. */
  readonly line: number;
  /** As a person reads it: `a < b → a <= b`. */
  readonly told: string;
};

/** What an operator may turn into; each pair changes a decision, not a formatting. */
const OPERATORS: { readonly [operator: string]: string } = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '&&': '||',
  '||': '&&',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
};

/** Numbers beyond these are ids and dates, where one more or less is no fault. */
const NUMBER_MAX = 2 ** 32;

/** Every mutant of a source; types and imports have none. */
export function mutantsOf(file: string, source: string): readonly Mutant[] {
  // Types become white space, so that every place stays where it is.
  const code = file.endsWith('.ts') ? stripTypeScriptTypes(source) : source;
  const mutants: Mutant[] = [];
  const add = (node: { start: number; end: number }, becomes: string): void => {
    const was = code.slice(node.start, node.end);
    mutants.push({
      file,
      start: node.start,
      end: node.end,
      becomes,
      line: code.slice(0, node.start).split('\n').length,
      told: `${brief(was)} → ${brief(becomes)}`,
    });
  };
  const tree = parse(code, {
    ecmaVersion: 'latest',
    sourceType: file.endsWith('.cjs') ? 'script' : 'module',
  });
  walk(tree, (node, parent) => {
    switch (node.type) {
      case 'BinaryExpression':
      case 'LogicalExpression': {
        const other = OPERATORS[node.operator];
        if (other === undefined || joinsText(node)) return;
        const { left, right } = node;
        const between = code.slice(left.end, right.start);
        const at = left.end + between.indexOf(node.operator);
        const start = { start: left.start, end: right.end };
        add(start, code.slice(left.start, at) + other + code.slice(at + node.operator.length, right.end));
        return;
      }
      case 'UnaryExpression':
        if (node.operator === '!') add(node, code.slice(node.argument.start, node.argument.end));
        return;
      case 'IfStatement':
      case 'ConditionalExpression':
        add(node.test, 'true');
        add(node.test, 'false');
        return;
      case 'Literal':
        if (typeof node.value === 'number' && node.value < NUMBER_MAX && parent?.type !== 'MemberExpression')
          add(node, String(node.value + 1));
        else if (typeof node.value === 'boolean') add(node, String(!node.value));
        return;
      case 'ExpressionStatement':
        if (node.expression.type === 'CallExpression' || node.expression.type === 'AssignmentExpression')
          add(node, ';');
        return;
      case 'ReturnStatement':
        if (node.argument != null && parent?.type === 'BlockStatement') add(node, 'return;');
        return;
      default:
    }
  });
  return mutants;
}

/** `'a' + b` is a sentence: a minus there fails whatever the tests look at. */
function joinsText(node: AnyNode): boolean {
  if (node.type !== 'BinaryExpression') return node.type === 'Literal' && typeof node.value === 'string';
  return (
    joinsText(node.left as AnyNode) ||
    joinsText(node.right as AnyNode) ||
    node.left.type === 'TemplateLiteral'
  );
}

type Visit = (node: AnyNode, parent: AnyNode | null) => void;

function walk(node: AnyNode, visit: Visit, parent: AnyNode | null = null): void {
  if (node.type === 'ImportDeclaration') return;
  visit(node, parent);
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (typeof child === 'object' && child !== null && typeof child.type === 'string')
        walk(child as AnyNode, visit, node);
    }
  }
}

const SHOWN_CHARS_MAX = 70;

function brief(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > SHOWN_CHARS_MAX ? `${line.slice(0, SHOWN_CHARS_MAX)}…` : line;
}
