// `wrld/twin`: what somebody writes a twin of their own with (docs/writing-a-twin.md). The contract, and the parts of the kit
// that the twins which ship are made of; everything else of wrld may change from one version to the next.
export type { Call, CallHeaders, Trace } from '../twins/kit/call.ts';
export { type Catalog, type CatalogOperation, catalogOf, type Does } from '../twins/kit/catalog.ts';
export {
  type ErrorShape,
  githubError,
  googleError,
  plainError,
  problemError,
  resendError,
  slackError,
} from '../twins/kit/error-shapes.ts';
export { expand, type Follow } from '../twins/kit/expand.ts';
export { decodeForm, type FormMap, type FormNode, formJson } from '../twins/kit/form.ts';
export {
  EVEN_PACE,
  type Features,
  type Generative,
  type Handling,
  type Spoken,
} from '../twins/kit/generative.ts';
export { type GenericTier, shown } from '../twins/kit/generic.ts';
export { GENERATIVE_MATCHERS, HANDLER_MATCHERS } from '../twins/kit/handlers.ts';
export { type Html, type HtmlValue, html, pageReply } from '../twins/kit/html.ts';
export { type Idempotency, once } from '../twins/kit/idempotency.ts';
export {
  BASE32HEX,
  letters,
  nodeId,
  serial,
  stamp,
  UPPER_ALPHANUMERIC,
  uuid,
} from '../twins/kit/ids.ts';
export {
  arrayField,
  field,
  isJsonObject,
  type Json,
  type JsonObject,
  numberField,
  objectField,
  readJson,
  textField,
} from '../twins/kit/json.ts';
export type { Coverage, Manifest } from '../twins/kit/manifest.ts';
export { type FormPart, type MultipartResult, readMultipart } from '../twins/kit/multipart.ts';
export {
  type Listed,
  type PageSize,
  pageById,
  pageByNumber,
  pageByOffset,
  pageByToken,
  pageSize,
} from '../twins/kit/paging.ts';
export { Refusal, type RefusalDetails } from '../twins/kit/refusal.ts';
export { jsonReply, type Reply, type ReplyBody, StreamCut } from '../twins/kit/reply.ts';
export {
  type RestAsk,
  type RestRoute,
  type RestScreen,
  type RestTwin,
  restTwin,
} from '../twins/kit/rest-twin.ts';
export { compileRoutes, type RouteLike, type Router } from '../twins/kit/routes.ts';
export type {
  SocketAct,
  SocketDeed,
  SocketMessage,
  TwinSocket,
  Upgrade,
  UpgradeAnswer,
} from '../twins/kit/socket.ts';
export { type Frame, streamOf } from '../twins/kit/stream.ts';
export type { DueEvent, RecordType, Signature, Twin } from '../twins/kit/twin.ts';
export {
  byWord,
  type DeliveryRequest,
  type Instant,
  type ListQuery,
  type Memo,
  type Page,
  type Reader,
  type RecordBody,
  type Tx,
} from '../twins/kit/tx.ts';
