#!/usr/bin/env node
// `wrld-world …` is `wrld world …`: the name under which a served world's attacher is known (4.2).
process.argv.splice(2, 0, 'world');
await import('./wrld.js');
