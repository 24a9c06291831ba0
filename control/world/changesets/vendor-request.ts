// An action as its vendor is asked for it (3): with the ids that the vendor gave, the app's own headers, and a reference under
// which the vendor does it once or can be asked whether it did.
import type { Deploys, VendorRequest } from '../../../twins/kit/real-vendor.ts';
import type { Twin } from '../../../twins/kit/twin.ts';
import type { Hasher } from '../../ports/digest.ts';
import { lacksSecret } from '../log/asked.ts';
import { hex } from '../store/identifier.ts';
import { filled } from './actions.ts';
import { exchangedBody } from './aliases.ts';
import type { Action } from './changeset.ts';
import { exchanged, type IdMap, namesIds } from './id-token.ts';

const FORM = 'application/x-www-form-urlencoded';
const NOTHING: IdMap = new Map();

/** `bytes`: of a body that is no text. */
export const vendorRequest = (
  { request }: Action,
  bytes: Uint8Array | null,
  { deploys, aliases = NOTHING }: { readonly deploys: Deploys; readonly aliases?: IdMap | undefined },
): VendorRequest => {
  const { method, path, query = [], headers = {}, body } = request;
  const text = (parts: typeof path): string =>
    exchanged(
      filled(parts, ({ id }) => id),
      aliases,
    );
  // The app's key was for the twin; the deploy has one of its own.
  const given = Object.entries(headers).filter(
    ([name]) => name !== 'idempotency-key' && name !== deploys.once?.header.toLowerCase(),
  );
  const type = headers['content-type'];
  const bodyOf = (): VendorRequest['body'] => {
    if (body === undefined) return bytes === null ? null : exchangedBody(bytes, type, aliases);
    return namesIds(type) ? text(body) : filled(body, ({ id }) => id);
  };
  return {
    method,
    path: query.length === 0 ? text(path) : `${text(path)}?${text(query)}`,
    headers: given.map(([name, value]) => [
      name,
      name === 'content-type' ? value : exchanged(value, aliases),
    ]),
    body: bodyOf(),
  };
};

/** With the reference, by whatever way the vendor takes one. */
export const referenced = (request: VendorRequest, reference: string, deploys: Deploys): VendorRequest => {
  if (deploys.once !== null)
    return { ...request, headers: [...request.headers, [deploys.once.header, reference]] };
  return deploys.lookup?.(request)?.mark?.(request, reference) ?? request;
};

/** A card's number is in no log: what needs one cannot be asked again. */
export const lacksSecrets = ({ request }: Action, { keeps }: Pick<Twin, 'keeps'>): boolean => {
  const form = request.headers?.['content-type']?.startsWith(FORM) === true ? request.body : undefined;
  return [request.query, form].some(
    parts =>
      parts !== undefined &&
      lacksSecret(
        filled(parts, ({ id }) => id),
        keeps?.secrets,
      ),
  );
};

/** Of all that the vendor would read of it. */
export const requestHash = (hasher: Hasher, { method, path, headers, body }: VendorRequest): string => {
  hasher.add(JSON.stringify([method, path, headers, body instanceof Uint8Array ? hex(body) : body]));
  return hex(hasher.digest());
};
