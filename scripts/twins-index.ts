// docs/twins/README.md: which twins there are, where they answer, and how much of it.
import { describedTwins } from './twins.ts';

export async function makeTwinsIndex(): Promise<string> {
  const rows = describedTwins().map(({ name, about, manifest, coverage }) => {
    const { vendor, hosts, stream } = manifest;
    const at = [...hosts.map(({ host }) => host), ...(stream === undefined ? [] : [stream.env.join(', ')])];
    const { modelled, generic, unmodelled } = coverage.tiers;
    const share = `[${modelled} · ${generic} · ${unmodelled}](${vendor}.coverage.json)`;
    return `| [${name}](${vendor}.md) | ${about} | ${at.map(each => `\`${each}\``).join(' ')} | ${share} |`;
  });
  return [
    '# The twins',
    '',
    'Written by `npm run generate`. Do not edit.',
    '',
    'A twin answers one vendor, at the vendor’s own hosts, for the vendor’s own client. What it keeps is in the',
    'world’s log; what it waits for comes by the world’s clock; nothing reaches the vendor.',
    '',
    '| twin | what it is | answers at | modelled · generic · unmodelled |',
    '|---|---|---|---|',
    ...rows,
    '',
    '- **modelled**: written by hand: state, rules, events, errors.',
    '- **generic**: made from the vendor’s own declarations: what was sent is kept, listed, changed and removed, and no',
    '  more is claimed.',
    '- **unmodelled**: refused in the vendor’s own error shape, and told in `GET <the twin’s URL>/twin/scenario`.',
    '  The lists name it as the vendor’s SDK does, without its route, wherever the SDK has a name for it.',
    '',
    '[How true they are](fidelity.md), measured by `npm run fidelity`. A twin of your own:',
    '[writing a twin](../writing-a-twin.md).',
    '',
  ].join('\n');
}
