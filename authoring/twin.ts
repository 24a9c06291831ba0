// `wrld/twin`: what somebody writes a twin of their own with (docs/writing-a-twin.md). The contract, and the parts of the kit
// that the twins which ship are made of; everything else of wrld may change from one version to the next.
export {
  type AfterWrite,
  buildTwin,
  type DueWork,
  type Screens,
  type Told,
  type TwinParts,
  type Unknown,
} from '../twins/kit/build-twin.ts';
export type { Call, CallHeaders, Trace } from '../twins/kit/call.ts';
export {
  type DueHandlers,
  type DueKinds,
  type DuePayload,
  handleDue,
  schedule,
} from '../twins/kit/due.ts';
export { decodeForm, type FormMap, type FormNode, formJson } from '../twins/kit/form.ts';
export {
  EVEN_PACE,
  type Features,
  type Generative,
  type Handling,
  type Spoken,
} from '../twins/kit/generative.ts';
export { GENERATIVE_MATCHERS, HANDLER_MATCHERS } from '../twins/kit/handlers.ts';
export { type Html, type HtmlValue, html, pageReply } from '../twins/kit/html.ts';
export type { FirstUse, Idempotency } from '../twins/kit/idempotency.ts';
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
export {
  JSON_API,
  type JsonAsk,
  type JsonOperation,
  type JsonScreen,
} from '../twins/kit/json-api.ts';
export {
  type Coverage,
  type Manifest,
  type ManifestParts,
  type ModelRow,
  manifestOf,
  modelsOf,
} from '../twins/kit/manifest.ts';
export {
  type FormPart,
  MULTIPART_FAULTS,
  type MultipartFault,
  type MultipartResult,
  readMultipart,
} from '../twins/kit/multipart.ts';
export { type Ask, Asked, headerOf, type Operation, type Screen } from '../twins/kit/operation.ts';
export {
  type Cursors,
  cursorsOf,
  type IdPage,
  type Listed,
  limitOf,
  type PageStyle,
  pageById,
  sliceById,
} from '../twins/kit/paging.ts';
export { Refusal, type RefusalDetails } from '../twins/kit/refusal.ts';
export { jsonReply, type Reply, type ReplyBody, StreamCut } from '../twins/kit/reply.ts';
export type {
  Resume,
  SocketAct,
  SocketDeed,
  SocketMessage,
  TwinSocket,
  Upgrade,
  UpgradeAnswer,
} from '../twins/kit/socket.ts';
export { type Frame, streamOf } from '../twins/kit/stream.ts';
export type {
  Cell,
  DueEvent,
  Look,
  OwnHeaders,
  RecordType,
  Signature,
  ToSign,
  Twin,
  Wording,
} from '../twins/kit/twin.ts';
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
