/** One name for this machine: sign-in cookies of `localhost` are not sent to `127.0.0.1`. */

const loopback = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Where a page request belongs when it came under another name of this machine than PUBLIC_URL's; undefined when it is right. */
export function loopbackRedirect(publicUrl: string, host: string | undefined, pathAndQuery: string): string | undefined {
  const wanted = new URL(publicUrl);
  const asked = URL.parse(`http://${host ?? ''}`);
  if (!asked || asked.host === wanted.host || !loopback.has(asked.hostname) || !loopback.has(wanted.hostname)) return undefined;
  return `${publicUrl}${pathAndQuery}`;
}
