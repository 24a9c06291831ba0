// Where a recording is kept: a file of the world's folder, written whole each time. The handlers file of the service, which is
// then in force by itself, unless another is named.
import { mkdir, realpath } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { RecordingFile } from '../http/surroundings.ts';
import { readIfThere, writeWhole } from './files.ts';
import type { HandlersFile } from './handlers-file.ts';

type Place = {
  /** The world's. */
  readonly folder: string;
  readonly vendor: string;
  /** Of the service; null where it names none. */
  readonly declared: HandlersFile | null;
};

/** `to`: relative to the folder; null for the one that the service names. */
export async function recordingFile(
  { folder, vendor, declared }: Place,
  to: string | null,
): Promise<RecordingFile> {
  if (to === null && declared === null)
    return no(
      `Say in which file it is kept: --to recordings/${vendor}.json, or colocate.scenarioPath of services.${vendor} in .wrld/world.json.`,
    );
  if (declared !== null && (to === null || resolve(folder, to) === resolve(folder, declared.path)))
    return { ok: true, name: declared.path, text: declared.text, put: text => declared.put(text) };
  const file = resolve(folder, to!);
  const name = relative(folder, file);
  if (isOutside(name)) return no(`${to} is not in the world’s folder, ${folder}.`);
  if (name.split(sep)[0] === '.wrld')
    return no(`${to} is among the world’s own files; name one beside .wrld.`);
  if (!name.endsWith('.json')) return no(`${to} is no .json file, as a handlers file is.`);
  try {
    await mkdir(dirname(file), { recursive: true });
    // A link may lead out of it.
    const real = join(await realpath(dirname(file)), 'x');
    if (isOutside(relative(await realpath(folder), real)))
      return no(`${to} leads out of the world’s folder, ${folder}.`);
    const text = await readIfThere(file);
    const put = async (text: string): Promise<{ readonly ok: true }> => {
      await writeWhole(file, text);
      return { ok: true };
    };
    return { ok: true, name, text, put };
  } catch (error) {
    return no(
      `${to} cannot be written: ${(error as NodeJS.ErrnoException).code ?? (error as Error).message}.`,
    );
  }
}

const isOutside = (name: string): boolean => name === '' || name.startsWith('..') || isAbsolute(name);

const no = (message: string): RecordingFile => ({ ok: false, message });
