// A refusal that came as an answer to a request (502 with its record in a header) becomes the request's error (7.1),
// in node:http and in every undici, whatever agent or dispatcher it came by. Both tell of each answer before anybody
// else sees it, on channels that cost a comparison for an answer that is none of ours; neither is loaded for it.
'use strict';

const channels = require('node:diagnostics_channel');
const { RECORD_HEADER, REFUSED, readRecord, refusalError } = require('./refusal.cjs');
const { upgradeRefused } = require('./web-socket.cjs');

function installAnswers() {
  channels.channel('http.client.response.finish').subscribe(({ request, response }) => {
    if (response.statusCode !== REFUSED) return;
    const record = readRecord(response.headers[RECORD_HEADER]);
    if (record === null) return;
    const { emit } = request;
    // The request hears of an error and nothing else.
    request.emit = function (event, ...args) {
      return event === 'response' || Reflect.apply(emit, this, [event, ...args]);
    };
    request.destroy(refusalError(record));
  });
  channels.channel('undici:request:headers').subscribe(({ request, response }) => {
    if (response.statusCode !== REFUSED) return;
    const record = readRecord(fieldOf(response.headers, RECORD_HEADER));
    if (record === null) return;
    const error = refusalError(record);
    upgradeRefused(request, error);
    request.abort(error);
  });
}

/** Names and values in turn, as they came; an object where it was HTTP/2. */
function fieldOf(headers, name) {
  if (!Array.isArray(headers)) return headers?.[name];
  for (let i = 0; i + 1 < headers.length; i += 2)
    if (String(headers[i]).toLowerCase() === name) return String(headers[i + 1]);
  return undefined;
}

module.exports = { installAnswers };
