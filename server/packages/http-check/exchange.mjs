/** Sends a request and follows redirects. */
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { acceptedEncodings, bodyMax } from './body.mjs';
import { chainOf } from './certificates.mjs';

/** The address without what may be secret: user, password, query and fragment. */
export function shownAddress(url) {
  return `${url.origin}${url.pathname}${url.search === '' ? '' : '?...'}`;
}

/** Sends one request. `at` has the end of each phase, in milliseconds since the start. */
function exchangeOnce(url, { method, headers, body, limitMs, rejectUnauthorized }) {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const at = {};
    const mark = (name) => () => (at[name] ??= performance.now() - startedAt);
    let chain = [];
    const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, {
      method,
      agent: false,
      rejectUnauthorized,
      signal: AbortSignal.timeout(Math.max(1, Math.ceil(limitMs))),
      headers: { 'user-agent': 'CloudFit HTTP check', accept: '*/*', 'accept-encoding': acceptedEncodings, ...headers },
    });
    const fail = (error) => reject(Object.assign(error, { at, chain }));
    request.once('socket', (socket) => {
      socket.once('lookup', mark('lookup'));
      socket.once('connect', mark('connect'));
      socket.once('secureConnect', () => {
        mark('secure')();
        chain = chainOf(socket);
      });
    });
    request.once('error', fail);
    request.once('response', (response) => {
      mark('firstByte')();
      let bytes = 0;
      const parts = [];
      response.on('data', (part) => {
        if (bytes < bodyMax) parts.push(part);
        bytes += part.length;
      });
      response.once('error', fail);
      response.once('end', () => {
        mark('end')();
        const { statusCode: status, headers: answered } = response;
        resolve({ url, status, headers: answered, at, bytes, stored: Buffer.concat(parts), isCut: bytes > bodyMax, chain });
      });
    });
    request.end(body);
  });
}

const redirects = new Set([301, 302, 303, 307, 308]);

/** Where an answer redirects to; undefined for one that does not. */
export function redirectOf({ status, headers, url }) {
  if (!redirects.has(status) || !headers.location || !URL.canParse(headers.location, url)) return undefined;
  const next = new URL(headers.location, url);
  // The user and password of an address stay with its origin, and those of another origin are not ours to send.
  const isSame = next.origin === url.origin;
  [next.username, next.password] = isSame ? [url.username, url.password] : ['', ''];
  return { next, isSame };
}

/**
 * Sends the request, and follows at most `follow` redirects in the time that is left. Headers and body are sent to no other origin. `stopped`
 * says why a redirect was not followed.
 */
export async function exchange(url, request, follow) {
  const endAt = performance.now() + request.limitMs;
  let current = { ...request };
  let answer = await exchangeOnce(url, current);
  for (let count = 1; follow > 0; count++) {
    const redirect = redirectOf(answer);
    if (!redirect) break;
    if (count > follow) return { ...answer, stopped: `more than ${follow} redirects` };
    if (!/^https?:$/.test(redirect.next.protocol)) return { ...answer, stopped: 'not an address of HTTP' };
    const getsNext = answer.status === 303 && current.method !== 'HEAD';
    if (!redirect.isSame && current.body !== undefined && !getsNext) return { ...answer, stopped: 'the body is sent to no other origin' };
    current = {
      ...current,
      ...(getsNext ? { method: 'GET', body: undefined } : {}),
      headers: redirect.isSame ? current.headers : {},
      limitMs: endAt - performance.now(),
    };
    answer = { ...(await exchangeOnce(redirect.next, current)), startedMs: request.limitMs - current.limitMs };
  }
  return answer;
}
