// Containers, in which OpenAI's code interpreter works: a name, files, and an end when nobody has used them for a while. Nothing
// runs in them here.
import { schedule } from '../kit/due.ts';
import {
  arrayField,
  field,
  isJsonObject,
  type JsonObject,
  numberField,
  objectField,
  readJson,
  textField,
} from '../kit/json.ts';
import type { ModelAsk, ModelOperation } from '../kit/model-api.ts';
import { headerOf } from '../kit/operation.ts';
import type { RecordBody, Tx } from '../kit/tx.ts';
import { checkAmount, checkWord } from './amounts.ts';
import type { Due } from './due.ts';
import { missing, notFound } from './errors.ts';
import { fileBytes } from './files.ts';
import { readUploadForm } from './form.ts';
import { listOf, publicFields } from './list.ts';

const IDLE_MINUTES = 20;
const MEMORY = ['1g', '4g', '16g', '64g'];
const CONTAINER = 'container';
const FILE = 'container_file';
const FILES_PAGE = 100;

type Container = RecordBody & {
  readonly id: string;
  readonly expires_after: { readonly anchor: string; readonly minutes: number };
};
type ContainerFile = RecordBody & { readonly id: string; readonly $blob: string };

const dueKey = (id: string): string => `container:${id}`;

/** By a request, or for the code interpreter of a response that names none. */
export function newContainer(tx: Tx, asked: JsonObject): Container {
  const now = Math.floor(tx.now / 1000);
  const minutes = numberField(objectField(asked, 'expires_after'), 'minutes') ?? IDLE_MINUTES;
  const files = arrayField(asked, 'file_ids').filter(id => typeof id === 'string');
  const gone = files.find(id => tx.get('file', id) === undefined);
  if (gone !== undefined) throw notFound(`No such File object: ${gone}`, 'file_ids');
  const made: Container = {
    id: `cntr_${tx.hex(24)}`,
    object: 'container',
    created_at: now,
    status: 'running',
    expires_after: { anchor: 'last_active_at', minutes },
    last_active_at: now,
    memory_limit: textField(asked, 'memory_limit') ?? '1g',
    name: textField(asked, 'name') ?? 'auto',
    network_policy: objectField(asked, 'network_policy') ?? { type: 'disabled' },
  };
  touch(tx, made);
  for (const id of files) {
    const name = textField(tx.get('file', id), 'filename') ?? id;
    keep(tx, made.id, { name, bytes: fileBytes(tx, id) ?? new Uint8Array() });
  }
  return made;
}

/** It is used: its time begins anew. */
function touch(tx: Tx, container: Container): void {
  tx.put(CONTAINER, container.id, { ...container, last_active_at: Math.floor(tx.now / 1000) });
  const ends = tx.now + container.expires_after.minutes * 60_000;
  schedule<Due>(tx, dueKey(container.id), ends, { kind: 'container', container: container.id });
}

/** Nobody has used it: its files are gone with it. */
export function expireContainer(id: string, tx: Tx): void {
  const held = tx.get<Container>(CONTAINER, id);
  if (held === undefined) return;
  tx.kind('container.expired');
  tx.put(CONTAINER, id, { ...held, status: 'expired' });
  removeFiles(tx, id);
}

function removeFiles(tx: Tx, container: string): void {
  for (;;) {
    const { items, more } = tx.list(FILE, { where: { $container: container }, limit: FILES_PAGE });
    for (const { id } of items) tx.delete(FILE, String(id));
    if (!more) return;
  }
}

function keep(
  tx: Tx,
  container: string,
  { name, bytes }: { readonly name: string; readonly bytes: Uint8Array },
): ContainerFile {
  const made = {
    id: `cfile_${tx.hex(24)}`,
    object: 'container.file',
    created_at: Math.floor(tx.now / 1000),
    bytes: bytes.length,
    container_id: container,
    path: `/mnt/data/${name}`,
    source: 'user',
    $container: container,
    $blob: tx.putBlob(bytes),
  };
  tx.put(FILE, made.id, made);
  return made;
}

const containerOf = ({ tx, path }: ModelAsk): Container => {
  const found = tx.get<Container>(CONTAINER, path['container'] ?? '');
  if (found === undefined)
    throw notFound(`Container with id '${path['container']}' not found.`, 'container_id');
  return found;
};

/** One that is over takes and shows nothing. */
const running = (context: ModelAsk): Container => {
  const found = containerOf(context);
  if (found['status'] !== 'running') throw notFound('Container is expired.', 'container_id');
  return found;
};

const fileOf = (context: ModelAsk): ContainerFile => {
  const { id } = running(context);
  const found = context.tx.get<ContainerFile>(FILE, context.path['file'] ?? '');
  if (found?.['container_id'] !== id)
    throw notFound(`Container file with id '${context.path['file']}' not found.`, 'file_id');
  return found;
};

const create = ({ body, tx }: ModelAsk): { readonly json: object } => {
  if (textField(body, 'name') === null) throw missing('name');
  const limit = field(body, 'memory_limit');
  if (limit !== undefined && limit !== null) checkWord(limit, 'memory_limit', MEMORY);
  const expiry = objectField(body, 'expires_after');
  if (expiry !== null) checkAmount(expiry, 'minutes', { min: 1, max: IDLE_MINUTES, whole: true });
  return { json: publicFields(newContainer(tx, body)) };
};

/** A form with a file or with the id of one; the latter as JSON, too. */
const addFile = (context: ModelAsk): { readonly json: object } => {
  const { tx, call } = context;
  const container = running(context);
  const isJson = headerOf(call, 'content-type')?.startsWith('application/json') === true;
  const body = isJson ? readJson(call.body) : null;
  const form = isJson ? null : readUploadForm(call);
  const id = isJsonObject(body) ? textField(body, 'file_id') : (form?.text('file_id') ?? null);
  touch(tx, container);
  if (id === null) {
    if (form === null) throw missing('file');
    const { filename, bytes } = form.file('file');
    return { json: publicFields(keep(tx, container.id, { name: filename ?? 'file', bytes })) };
  }
  const file = tx.get('file', id);
  if (file === undefined) throw notFound(`No such File object: ${id}`, 'file_id');
  const name = textField(file, 'filename') ?? id;
  const bytes = fileBytes(tx, id) ?? new Uint8Array();
  return { json: publicFields(keep(tx, container.id, { name, bytes })) };
};

const PATH = '/v1/containers/{container}';

export const CONTAINERS: readonly ModelOperation[] = [
  { method: 'POST', path: '/v1/containers', name: 'containers.create', run: create },
  {
    method: 'GET',
    path: '/v1/containers',
    name: 'containers.list',
    run: context => {
      const name = context.query.get('name');
      return {
        json: listOf(context, CONTAINER, name === null ? {} : { keep: body => body['name'] === name }),
      };
    },
  },
  {
    method: 'GET',
    path: PATH,
    name: 'containers.retrieve',
    run: context => ({ json: publicFields(containerOf(context)) }),
  },
  {
    method: 'DELETE',
    path: PATH,
    name: 'containers.delete',
    run: context => {
      const { id } = containerOf(context);
      removeFiles(context.tx, id);
      context.tx.delete(CONTAINER, id);
      context.tx.cancel(dueKey(id));
      return { json: { id, object: 'container.deleted', deleted: true } };
    },
  },
  { method: 'POST', path: `${PATH}/files`, name: 'containers.files.create', form: true, run: addFile },
  {
    method: 'GET',
    path: `${PATH}/files`,
    name: 'containers.files.list',
    run: context => ({ json: listOf(context, FILE, { where: { $container: running(context).id } }) }),
  },
  {
    method: 'GET',
    path: `${PATH}/files/{file}`,
    name: 'containers.files.retrieve',
    run: context => ({ json: publicFields(fileOf(context)) }),
  },
  {
    method: 'GET',
    path: `${PATH}/files/{file}/content`,
    name: 'containers.files.content.retrieve',
    run: context => ({
      bytes: context.tx.blob(fileOf(context).$blob) ?? new Uint8Array(),
      type: 'application/octet-stream',
    }),
  },
  {
    method: 'DELETE',
    path: `${PATH}/files/{file}`,
    name: 'containers.files.delete',
    run: context => {
      const { id } = fileOf(context);
      context.tx.delete(FILE, id);
      return { json: { id, object: 'container.file.deleted', deleted: true } };
    },
  },
];
