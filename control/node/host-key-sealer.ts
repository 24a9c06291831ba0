// The key of this host that wraps the data keys of sealed credentials where no vault does (4.11-2): SEALING_KEY, or a file
// of the world's own folder that is made when it is first needed.
import { randomBytes, randomUUID } from 'node:crypto';
import { appendFile, chmod, link, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Log } from '../ports/log.ts';
import { type Bytes, ownBytes, type WrappingKey } from '../world/seals/envelope.ts';
import { HOST_KEY_BYTES, hostKey, parseHostKey } from '../world/seals/host-key.ts';
import { readIfThere, writeWhole } from './files.ts';
import { systemFault } from './system-fault.ts';

/** `given`: SEALING_KEY, read already. */
export function openHostKey(given: Bytes | null, file: string, log: Log): WrappingKey {
  return hostKey(async () => {
    if (given !== null) return given;
    try {
      return await keyIn(file, log);
    } catch (error) {
      log.error({}, `the key that seals credentials cannot be had: ${systemFault(error, file) ?? file}`);
      return null;
    }
  });
}

async function keyIn(file: string, log: Log): Promise<Bytes | null> {
  const text = (await readIfThere(file)) ?? (await make(file));
  // Whoever copied it here with another mode meant no one else to read it.
  if (((await stat(file)).mode & 0o077) !== 0) await chmod(file, 0o600);
  const key = parseHostKey(text);
  if (key === null)
    log.error(
      {},
      `${file} holds no key of ${HOST_KEY_BYTES} bytes. Bring back the file that was there; without it nothing that it sealed opens. To seal anew, remove it and set each credential again.`,
    );
  return key === null ? null : ownBytes(key);
}

/** It appears whole, and of two who make it at once both have the one that is there. */
async function make(file: string): Promise<string> {
  const whole = `${file}.${randomUUID()}.new`;
  await writeWhole(whole, `${randomBytes(HOST_KEY_BYTES).toString('base64')}\n`);
  try {
    await leaveOut(file);
    await link(whole, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(whole, { force: true });
  }
  return (await readIfThere(file)) ?? '';
}

/** A world that was made before there was such a key does not tell git to leave it alone. */
async function leaveOut(file: string): Promise<void> {
  const ignored = join(dirname(file), '.gitignore');
  const text = await readIfThere(ignored);
  const name = basename(file);
  if (text === null || text.split('\n').includes(name)) return;
  await appendFile(ignored, `${text.endsWith('\n') || text === '' ? '' : '\n'}${name}\n`);
}
