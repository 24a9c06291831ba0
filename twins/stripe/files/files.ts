// Files that callers upload, and links to them.

import { type Act, need, save } from '../api/act.ts';
import { invalid } from '../api/errors.ts';
import { createdParams, page } from '../api/list.ts';
import { filePart } from '../api/multipart.ts';
import { operation } from '../api/operation.ts';
import {
  boolean,
  hash,
  type MetadataParam,
  mergeMetadata,
  metadata,
  nowOrTime,
  required,
  text,
  time,
  unset,
} from '../api/params.ts';
import { viewOf } from '../api/view.ts';
import type { File, FileLink } from './records.ts';

const FILE_BYTES_MAX = 16 * 1024 * 1024;

const create = operation(
  'files.create',
  'POST /v1/files',
  {
    file_link_data: hash({ create: required(boolean()), expires_at: time(), metadata: metadata() }),
    purpose: required(text()),
  },
  ({ act, params, call }) => {
    const part = filePart(call);
    if (part === null)
      throw invalid('Missing required param: file.', { code: 'parameter_missing', param: 'file' });
    if (part.bytes.length > FILE_BYTES_MAX) {
      throw invalid('The file is larger than 16 MB.', { param: 'file' });
    }
    const id = act.tx.id('file_', 24);
    const dot = part.filename?.lastIndexOf('.') ?? -1;
    const file: File = {
      id,
      object: 'file',
      created: act.at,
      expires_at: null,
      filename: part.filename,
      purpose: params.purpose as File['purpose'],
      size: part.bytes.length,
      title: null,
      type: dot < 0 ? null : (part.filename?.slice(dot + 1).toLowerCase() ?? null),
      url: `https://files.stripe.com/v1/files/${id}/contents`,
      $sha256: act.tx.putBlob(part.bytes),
    };
    act.tx.kind('file.created');
    save(act, 'file', file);
    const link = params.file_link_data;
    if (link?.create === true) saveLink(act, id, link);
    return viewOf(act, 'file', file);
  },
  [],
  'multipart',
);

const retrieve = operation('files.retrieve', 'GET /v1/files/{file}', {}, ({ act, path }) =>
  viewOf(act, 'file', need(act, 'file', path['file'] ?? '', { param: 'file', inPath: true })),
);

const listAll = operation(
  'files.list',
  'GET /v1/files',
  { ...createdParams, purpose: text() },
  ({ act, params }) =>
    page(
      act,
      'file',
      params,
      '/v1/files',
      params.purpose === undefined ? {} : { where: { purpose: params.purpose } },
    ),
);

const createLink = operation(
  'fileLinks.create',
  'POST /v1/file_links',
  { expires_at: time(), file: required(text()), metadata: metadata() },
  ({ act, params }) => {
    const file = need(act, 'file', params.file, { param: 'file' });
    act.tx.kind('file_link.created');
    return viewOf(act, 'file_link', saveLink(act, file.id, params));
  },
);

function saveLink(
  act: Act,
  file: string,
  given: { readonly expires_at?: number; readonly metadata?: MetadataParam },
): FileLink {
  const link: FileLink = {
    id: act.tx.id('link_', 24),
    object: 'file_link',
    created: act.at,
    expired: false,
    expires_at: given.expires_at ?? null,
    file,
    livemode: false,
    metadata: mergeMetadata({}, given.metadata),
    url: `https://files.stripe.com/links/${act.tx.id('', 48)}`,
  };
  save(act, 'file_link', link);
  return link;
}

const needLink = (act: Act, path: { readonly [name: string]: string }): FileLink =>
  need(act, 'file_link', path['link'] ?? '', { param: 'link', inPath: true });

const retrieveLink = operation('fileLinks.retrieve', 'GET /v1/file_links/{link}', {}, ({ act, path }) =>
  viewOf(act, 'file_link', needLink(act, path)),
);

const changeLink = operation(
  'fileLinks.update',
  'POST /v1/file_links/{link}',
  { expires_at: unset(nowOrTime()), metadata: metadata() },
  ({ act, path, params }) => {
    const held = needLink(act, path);
    const expires = params.expires_at === 'now' ? act.at : params.expires_at;
    const next: FileLink = {
      ...held,
      ...(expires === undefined
        ? {}
        : { expired: expires !== null && expires <= act.at, expires_at: expires }),
      metadata: mergeMetadata(held.metadata, params.metadata),
    };
    act.tx.kind('file_link.updated');
    save(act, 'file_link', next);
    return viewOf(act, 'file_link', next);
  },
);

const links = operation(
  'fileLinks.list',
  'GET /v1/file_links',
  { ...createdParams, expired: boolean(), file: text() },
  ({ act, params }) =>
    page(act, 'file_link', params, '/v1/file_links', {
      ...(params.file === undefined ? {} : { where: { file: params.file } }),
      keep: held =>
        params.expired === undefined ||
        params.expired === (held.expires_at !== null && held.expires_at <= act.at),
    }),
);

export const fileOperations = [create, retrieve, listAll, createLink, retrieveLink, changeLink, links];
