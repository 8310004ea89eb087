/** Redirects page requests between the names of this machine: cookies of `localhost` are not sent to `127.0.0.1`. */

const loopback = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Returns the address to which a page request is redirected because it used another name or port of this machine than
 * PUBLIC_URL; undefined when no redirect is needed.
 */
export function loopbackRedirect(publicUrl: string, host: string | undefined, pathAndQuery: string): string | undefined {
  const publicAddress = new URL(publicUrl);
  const requestAddress = URL.parse(`http://${host ?? ''}`);
  if (
    !requestAddress ||
    requestAddress.host === publicAddress.host ||
    !loopback.has(requestAddress.hostname) ||
    !loopback.has(publicAddress.hostname)
  )
    return undefined;
  return `${publicUrl}${pathAndQuery}`;
}
