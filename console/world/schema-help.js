// What a JSON schema says of a place in a document, for whoever writes one.

/** @typedef {{ [name: string]: any }} Schema */
/**
 * @typedef {{ name: string; known: boolean; text: string; choices: string[]; fields: { name: string; text: string }[] }} Help
 *   `known`: whether the schema has such a place; where it has not, the rest is of what is around it
 */

/** @param {Schema} schema @param {string} pointer @returns {Help} */
export function helpOf(schema, pointer) {
  const names = pointer
    .split('/')
    .slice(1)
    .map(name => name.replaceAll('~1', '/').replaceAll('~0', '~'));
  const found = nodesAt(schema, names);
  let nodes = found;
  for (let at = names.length - 1; nodes.length === 0; at--) nodes = nodesAt(schema, names.slice(0, at));
  /** @type {Map<string, Schema>} */
  const fields = new Map();
  for (const node of nodes)
    for (const [name, field] of Object.entries(node['properties'] ?? {}))
      if (!name.startsWith('$') && !fields.has(name)) fields.set(name, field);
  return {
    name: names.findLast(name => !/^\d+$/.test(name)) ?? '',
    known: found.length > 0,
    text: textOf(nodes),
    choices: nodes
      .flatMap(node => [...(node['enum'] ?? []), ...('const' in node ? [node['const']] : [])])
      .map(String),
    fields: [...fields].map(([name, field]) => ({ name, text: textOf(nodesOf(schema, field)) })),
  };
}

/** All that a value there may be by. @param {Schema} schema @param {readonly string[]} names @returns {readonly Schema[]} */
function nodesAt(schema, names) {
  return names.reduce(
    (/** @type {readonly Schema[]} */ nodes, name) =>
      nodes.flatMap(node => {
        const own = node['properties'] ?? {};
        const inner =
          /^\d+$/.test(name) && node['items'] !== undefined
            ? node['items']
            : Object.hasOwn(own, name)
              ? own[name]
              : node['additionalProperties'];
        return typeof inner === 'object' ? nodesOf(schema, inner) : [];
      }),
    nodesOf(schema, schema),
  );
}

/** The node, what it refers to, and what it may be. @param {Schema} schema @param {Schema} node @returns {Schema[]} */
function nodesOf(schema, node) {
  const { $ref: ref, allOf = [], anyOf = [], oneOf = [] } = node;
  const named = ref === undefined ? [] : [schema['definitions'][ref.replace('#/definitions/', '')]];
  return [node, ...[...named, ...allOf, ...anyOf, ...oneOf].flatMap(each => nodesOf(schema, each))];
}

/** @param {readonly Schema[]} nodes */
function textOf(nodes) {
  return nodes.find(({ description }) => description !== undefined)?.['description'] ?? '';
}
