import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { number, report, required, round, run, text } from './operation.mjs';

/** Maximum number of bytes of a response body that are searched for the text. */
const bodyMax = 4 * 1024 ** 2;
const dayMs = 86_400_000;

function expectedStatus() {
  const [from, to = from] = (text('Status') || '200-399').split('-').map(Number);
  if (!Number.isInteger(from) || !Number.isInteger(to)) throw new Error('Status must be a number, or a range such as 200-399.');
  return (status) => status >= from && status <= to;
}

/** Sends one request. `at` has the end of each phase, in milliseconds since the start. */
function exchange(url, method, limitMs, rejectUnauthorized) {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const at = {};
    const mark = (name) => () => (at[name] ??= performance.now() - startedAt);
    let certificate;
    const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, {
      method,
      agent: false,
      rejectUnauthorized,
      signal: AbortSignal.timeout(limitMs),
      headers: { 'user-agent': 'CloudFit HTTP check', accept: '*/*' },
    });
    request.once('socket', (socket) => {
      socket.once('lookup', mark('lookup'));
      socket.once('connect', mark('connect'));
      socket.once('secureConnect', () => {
        mark('secure')();
        certificate = socket.getPeerCertificate();
      });
    });
    request.once('error', reject);
    request.once('response', (response) => {
      mark('firstByte')();
      let bytes = 0;
      const parts = [];
      response.on('data', (part) => {
        bytes += part.length;
        if (bytes <= bodyMax) parts.push(part);
      });
      response.once('error', reject);
      response.once('end', () => {
        mark('end')();
        resolve({
          status: response.statusCode,
          location: response.headers.location,
          at,
          bytes,
          body: Buffer.concat(parts).toString(),
          certificate,
        });
      });
    });
    request.end();
  });
}

function phases(at) {
  const connectFrom = at.lookup ?? 0;
  const sentAt = at.secure ?? at.connect ?? 0;
  return {
    ...(at.lookup === undefined ? {} : { LookupMs: round(at.lookup) }),
    ...(at.connect === undefined ? {} : { ConnectMs: round(at.connect - connectFrom) }),
    ...(at.secure === undefined ? {} : { TlsMs: round(at.secure - at.connect) }),
    WaitMs: round(at.firstByte - sentAt),
    TransferMs: round(at.end - at.firstByte),
    TotalMs: round(at.end),
  };
}

const reasonOf = (error) =>
  error.name === 'TimeoutError' || error.code === 'ABORT_ERR' ? 'No answer within the time limit' : (error.code ?? error.message);

async function check() {
  const address = required('Address');
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol))
    throw new Error('Address must start with http:// or https://.');
  const isExpected = expectedStatus();
  const limitMs = 1_000 * number('Time limit', { fallback: 10, min: 0.1, max: 300 });
  let answer;
  try {
    answer = await exchange(
      new URL(address),
      (text('Method') || 'GET').toUpperCase(),
      limitMs,
      text('Certificate').toLowerCase() !== 'ignore',
    );
  } catch (error) {
    report({
      value: null,
      metrics: { Up: 0 },
      states: { Reachable: 'Down', Reason: reasonOf(error) },
      message: `${address}: ${reasonOf(error)}`,
    });
    return;
  }
  const validTo = answer.certificate?.valid_to;
  const sought = text('Text');
  const reason = !isExpected(answer.status)
    ? `Status ${answer.status}`
    : sought !== '' && !answer.body.includes(sought)
      ? 'The text is missing'
      : undefined;
  report({
    value: round(answer.at.end),
    metrics: {
      Up: reason === undefined ? 1 : 0,
      StatusCode: answer.status,
      Bytes: answer.bytes,
      ...phases(answer.at),
      ...(validTo ? { CertificateDays: Math.floor((Date.parse(validTo) - Date.now()) / dayMs) } : {}),
    },
    states: { Reachable: reason === undefined ? 'Up' : 'Down', ...(reason === undefined ? {} : { Reason: reason }) },
    ...(answer.location ? { diagnostics: { location: answer.location } } : {}),
    message: reason === undefined ? `${answer.status} after ${Math.round(answer.at.end)} ms` : `${address}: ${reason}`,
  });
}

await run({ 'HTTP check': check });
