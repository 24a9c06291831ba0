// What a refusal of the world's is inside a JavaScript process (7.1): an Error with the refusal's text and its record,
// and one line on the console.
'use strict';

/** As in policy/refusal.ts. */
const RECORD_HEADER = 'x-wrld-world-refusal-record';
/** The status of every refusal. */
const REFUSED = 502;
const KIND = 'wrld-world-refusal';

/** @typedef {{ kind: string, target: string, missing: string, rule: string, reason: string, see: string }} RefusalRecord */

/** @returns {RefusalRecord | null} null where the text is no record. */
function readRecord(text) {
  try {
    const record = JSON.parse(text);
    return record?.kind === KIND ? record : null;
  } catch {
    return null;
  }
}

/**
 * Told once for each refusal, so this is called once for each.
 * @param {RefusalRecord} record
 */
function refusalError(record) {
  const error = new Error(`${record.reason} (missing: ${record.missing}; fix: ${record.see})`);
  error.code = 'ECONNREFUSED';
  error.worldRefusal = record;
  console.error(
    `[twin-inject] blocked untwinned external fetch to ${hostOf(record.target)} (${record.reason}; fix: ${record.see})`,
  );
  return error;
}

/** Of a URL, or of `host:port`. */
function hostOf(target) {
  return /^[a-z]+:\/\/([^/?#]*)/i.exec(target)?.[1] ?? target;
}

/** 7.1: what the kernel says where an image runs natively, with the record of why. */
function nativeDirectError(record, { host, port }) {
  const error = refusalError(record);
  return Object.assign(error, { code: 'EPERM', errno: -1, syscall: 'connect', address: host, port });
}

/** An error of a connection that no rule refused. */
function connectionError(message) {
  return Object.assign(new Error(message), { code: 'ECONNREFUSED' });
}

module.exports = { RECORD_HEADER, REFUSED, connectionError, nativeDirectError, readRecord, refusalError };
