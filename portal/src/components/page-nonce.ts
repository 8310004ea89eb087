/** The CSP nonce that the server wrote into the page, for styles created at run time; undefined in development and tests. */
export function pageNonce(): string | undefined {
  const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content;
  return nonce && !nonce.startsWith('__') ? nonce : undefined;
}
