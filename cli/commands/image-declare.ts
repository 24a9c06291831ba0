// `wrld image declare`: what the images of this folder declare, and where each of it is said.
import { type ImageDeclaration, imageDeclaration, imagesDocument } from '../../images/declaration-text.ts';
import { NOTES_MAX } from '../../images/limits.ts';
import { refusalText } from '../../policy/refusal.ts';
import type { Command } from '../command.ts';
import { declarationView, givenImages, IMAGE_FLAGS, noteText, shown } from '../images.ts';
import { type Output, table } from '../output.ts';

export const imageDeclare: Command = {
  words: ['image', 'declare'],
  summary: 'what an image declares, by its build file and its compose file',
  usage: '[<path>] [--file <file>[,<file>…]] [--target <stage>] [--json]',
  flags: {
    ...IMAGE_FLAGS,
    json: { type: 'switch', does: 'print it as one JSON document, for programs' },
  },
  operandsMax: 1,
  takesCommand: false,
  examples: [
    ['wrld image declare', 'the compose file of this folder, or its Dockerfile'],
    ['wrld image declare api/Dockerfile --target dev', 'one stage of a build file'],
    ['wrld image declare --json | jq ".images[].capabilities"', 'for programs'],
  ],
  notes: [
    '<path> is a folder, a build file, a compose file or an image that is built already (an OCI layout, its archive, what docker save writes); this folder unless given. Nothing is built and nothing is fetched: what only the base image knows is not told.',
    'What is not understood is named with its file and line, on standard error. The values of variables are shown where a file of the project writes them out; those of the environment and of env_file are not.',
    'Exits 1 where a file cannot be read as what it is, or where a mount is refused (docs/images.md).',
  ],
  run: async ({ operands, values, switches }, around) => {
    const { output, folder } = around;
    const given = givenImages(operands[0], values, around);
    if (!given.ok) {
      output.error(`wrld image declare: ${given.why}`);
      return 1;
    }
    const { images } = given;
    const view = await declarationView(folder);
    const document = imagesDocument(images, view);
    if (switches.has('json')) output.json(document);
    else {
      for (const [nth, image] of images.images.entries()) {
        if (nth > 0) output.line();
        tell(output, imageDeclaration(image, view));
      }
      for (const note of document.notUnderstood)
        output.error(`${output.ink('yellow', 'note')} ${noteText(note)}`);
      const more = images.notes.length - NOTES_MAX;
      if (more > 0) output.error(`and ${more} more`);
    }
    return document.images.some(({ refusals }) => refusals.length > 0) ? 1 : 0;
  },
};

function tell(output: Output, image: ImageDeclaration): void {
  const { capabilities, command, workingFolder, user, profiles } = image;
  const { network, files } = capabilities;
  const at = (capability: string): string => {
    const by = image.declaredBy.find(each => each.capability === capability);
    return by === undefined ? '' : `${by.file}:${by.line}`;
  };
  const of = profiles.length === 0 ? '' : `, with profile ${profiles.join(' or ')}`;
  output.line(
    `${output.ink('bold', shown(image.name))}  ${shown(`${image.file}:${image.line}, from ${image.base}${of}`)}`,
  );
  const where = ({ file, line }: { readonly file: string; readonly line: number }): string =>
    `${file}:${line}`;
  const rows: (readonly [string, string, string])[] = [
    [
      'command',
      command === null ? 'the base image’s own, which is not known here' : JSON.stringify(command),
      '',
    ],
    ['folder', `${workingFolder}, as ${user ?? 'root'}`, ''],
    [
      'egress',
      network.egress === undefined ? 'open' : network.egress.join(', ') || 'nothing',
      at('network.egress'),
    ],
    ['services', network.services.join(', ') || 'none', at('network.services')],
    ['own loopback', 'yes', at('network.ownLoopback')],
    ['machine’s network', network.host ? 'yes' : 'no', at('network.host')],
    ...image.ports.map(port => {
      const published = port.published === null ? '' : `, published as ${port.published}`;
      return ['port', `${port.port}/${port.protocol}${published}`, where(port)] as const;
    }),
    ...files.persist.map(each => ['keeps', each.path, where(each)] as const),
    ...files.read.map(
      each =>
        ['mounts', `${each.from} at ${each.at}${each.readOnly ? ', read-only' : ''}`, where(each)] as const,
    ),
    ...image.extraHosts.map(each => ['host', `${each.name} is ${each.address}`, where(each)] as const),
    ...image.environment.map(
      each =>
        [
          'variable',
          `${each.name}${each.value === undefined ? ' (not shown)' : `=${each.value}`}`,
          where(each),
        ] as const,
    ),
  ];
  const cells = rows.map(([what, value, place]) => [what, shown(place), shown(value)]);
  for (const line of table(output, ['', 'said in', ''], cells).slice(1)) output.line(`  ${line}`);
  for (const record of image.refusals)
    output.line(`  ${output.ink('red', 'refused')} [${record.rule}] ${refusalText(record)}`);
}
