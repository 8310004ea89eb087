import { isIP } from 'node:net';
import { decoded, shownMax, textsOf } from './body.mjs';
import { certificateFault, certificateReading, untrustedChain } from './certificates.mjs';
import { exchange, redirectOf, shownAddress } from './exchange.mjs';
import {
  CouldNotLook,
  faultOf,
  nameTooLate,
  number,
  reportDown,
  reportUnknown,
  reportUp,
  required,
  round,
  run,
  secret,
  text,
} from './operation.mjs';

const state = 'Reachable';

function expectedStatus() {
  const [from, to = from] = (text('Status') || '200-399').split('-').map(Number);
  if (!Number.isInteger(from) || !Number.isInteger(to)) throw new Error('Status must be a number, or a range such as 200-399.');
  return (status) => status >= from && status <= to;
}

/** Replaces `{Token}` by the secret of that name; other braces, as JSON has them, stay. */
function withSecrets(value) {
  return value.replaceAll(/\{([A-Za-z][\w ]*)\}/g, (placeholder, name) => secret(name.toUpperCase().replaceAll(/\W/g, '_')) || placeholder);
}

function headersOf(lines) {
  const headers = {};
  for (const line of lines.split(/\r?\n/).filter((line) => line.trim() !== '')) {
    const [, name, value] = /^\s*([!#$%&'*+.^`|~\w-]+)\s*:\s*(.*?)\s*$/.exec(line) ?? [];
    if (name === undefined) throw new Error('Headers must have a header in each line, such as Accept: application/json.');
    headers[name.toLowerCase()] = withSecrets(value);
  }
  return headers;
}

function addressOf() {
  const address = withSecrets(required('Address'));
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol))
    throw new Error('Address must start with http:// or https://.');
  return new URL(address);
}

function phases({ lookup, connect, secure, firstByte, end }, startedMs) {
  const sentAt = secure ?? connect ?? 0;
  return {
    ...(lookup === undefined ? {} : { LookupMs: round(lookup) }),
    ...(connect === undefined ? {} : { ConnectMs: round(connect - (lookup ?? 0)) }),
    ...(secure === undefined ? {} : { TlsMs: round(secure - connect) }),
    WaitMs: round(firstByte - sentAt),
    TransferMs: round(end - firstByte),
    TotalMs: round(startedMs + end),
  };
}

function reasonOf(error, url) {
  const isLate = error.name === 'TimeoutError' || error.code === 'ABORT_ERR';
  if (isLate && error.at?.lookup === undefined && isIP(url.hostname.replace(/^\[|\]$/g, '')) === 0) return nameTooLate;
  if (isLate)
    return {
      reason: error.at?.firstByte === undefined ? 'No answer within the time limit' : 'The answer did not end within the time limit',
    };
  if (error.code?.startsWith?.('HPE_')) return { reason: 'The answer is not HTTP' };
  if (/^ERR_SSL_|^EPROTO$/.test(error.code ?? ''))
    return { reason: `TLS failed: ${/SSL routines:[^:]*:([^:\n]+)/.exec(error.message)?.[1] ?? error.code}` };
  return faultOf(error);
}

async function reportFailure(url, error, limitMs) {
  // The request could not be made of its parameters, so nothing was sent.
  if (error.at === undefined) throw error;
  const fault = certificateFault(error);
  // The connection ended before its certificates could be read.
  const chain = fault ? await untrustedChain(url, limitMs) : (error.chain ?? []);
  const { isOwn = false, reason } = fault ? { reason: fault } : reasonOf(error, url);
  const { metrics, diagnostics } = certificateReading(chain);
  if (isOwn) throw new CouldNotLook(reason, { message: `${shownAddress(url)}: ${reason}` });
  reportDown(state, reason, { metrics, diagnostics, message: `${shownAddress(url)}: ${reason}` });
}

/** Whether the text stands in the answer. Returns why that is not known, because not all of the answer could be read. */
async function lookFor(sought, { stored, isCut, headers }) {
  const content = await decoded(stored, isCut, headers['content-encoding']);
  if (content.unreadable) return { unknown: content.unreadable };
  const texts = textsOf(content.bytes, headers['content-type']);
  if (texts.some((text) => text.normalize().includes(sought.normalize()))) return { isThere: true };
  return content.isCut
    ? { unknown: `Only the first ${shownMax} of the answer were read, and the text is not in them` }
    : { isThere: false };
}

async function check() {
  const url = addressOf();
  const isExpected = expectedStatus();
  const limitMs = 1_000 * number('Time limit', { fallback: 10, min: 0.1, max: 300 });
  const follow = number('Follow', { fallback: 0, min: 0, max: 20 });
  const body = text('Body') === '' ? undefined : withSecrets(text('Body'));
  const method = (text('Method') || (body === undefined ? 'GET' : 'POST')).toUpperCase();
  if (!/^[A-Z]+$/.test(method)) throw new Error('Method must be a word such as GET or POST.');
  if (method === 'HEAD' && text('Text') !== '') throw new Error('Text cannot be searched with the method HEAD, whose answer has no body.');
  const headers = { ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }), ...headersOf(text('Headers')) };
  const rejectUnauthorized = text('Certificate').toLowerCase() !== 'ignore';
  let answer;
  try {
    answer = await exchange(url, { method, headers, body, limitMs, rejectUnauthorized }, follow);
  } catch (error) {
    return reportFailure(url, error, limitMs);
  }
  const { status, at, bytes, chain, startedMs = 0, stopped } = answer;
  const certificates = certificateReading(chain);
  const redirect = redirectOf(answer);
  const target = redirect && shownAddress(redirect.next);
  const parts = {
    value: round(startedMs + at.end),
    metrics: { StatusCode: status, Bytes: bytes, ...phases(at, startedMs), ...certificates.metrics },
    states: target ? { Redirect: target } : {},
    diagnostics: certificates.diagnostics,
    message: `${status} after ${Math.round(startedMs + at.end)} ms${target ? `, redirects to ${target}` : ''}`,
  };
  const tell = (how, reason) => how(state, reason, { ...parts, message: `${shownAddress(url)}: ${reason}` });
  if (stopped && target) return tell(reportDown, `The redirect to ${target} was not followed: ${stopped}`);
  if (!isExpected(status)) return tell(reportDown, `Status ${status}${target ? `, redirects to ${target}` : ''}`);
  const sought = text('Text');
  if (sought === '') return reportUp(state, parts);
  if (target)
    return tell(reportUnknown, `The answer redirects to ${target}, so the text was not searched; Follow says how many redirects to follow`);
  const { isThere, unknown } = await lookFor(sought, answer);
  if (unknown) return tell(reportUnknown, unknown);
  if (isThere) reportUp(state, parts);
  else tell(reportDown, 'The text is missing');
}

await run({ 'HTTP check': check }, state);
