/** Which headers an action may set. */

/** Headers that only the HTTP client or the server sets, and hop-by-hop headers. */
export const reservedHeaders: ReadonlySet<string> = new Set([
  'host',
  'content-length',
  'connection',
  'keep-alive',
  'transfer-encoding',
  'te',
  'trailer',
  'upgrade',
  'proxy-authorization',
  'proxy-authenticate',
  'expect',
  'idempotency-key',
  'accept-encoding',
  'webhook-id',
  'webhook-timestamp',
  'webhook-signature',
  'cloudfit-hops',
  'cloudfit-replay-of',
]);

export const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Names of headers that carry a credential. */
const credentialHeader =
  /^(?:authorization|cookie|.*(?:token|secret|password|credential|(?:api|access|account|auth|functions|integration|private|routing|shared|subscription)[-_]?key))$/i;

/** Whether a header has a credential in plain text: everybody who may read the action could read the credential. */
function isCredential(name: string, value: string): boolean {
  return credentialHeader.test(name) && value.trim() !== '' && !value.includes('{');
}

/** Returns the problem with an action's headers, one `Name:Value` per line; undefined when the headers are valid. */
export function headersProblem(text: string): string | undefined {
  for (const line of text.split(/\r?\n/)) {
    if (line.trim() === '') continue;
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).trim();
    if (colon < 1 || !headerName.test(name)) return `The header "${line.slice(0, 100)}" is not Name:Value.`;
    if (reservedHeaders.has(name.toLowerCase())) return `The header ${name} is set by the server; an action cannot set it.`;
    if (isCredential(name, line.slice(colon + 1)))
      return `The header ${name} has a credential that everybody who reads actions could read. Keep it as a secret of the tenant and write ${name}:{Secret:name}, or ${name}:Bearer {Secret:name}.`;
  }
  return undefined;
}
