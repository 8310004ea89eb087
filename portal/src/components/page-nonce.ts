/** The nonce that the server wrote into the page; styles that are made at run time carry it. Undefined in development and tests. */
export function pageNonce(): string | undefined {
  const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content;
  return nonce && !nonce.startsWith('__') ? nonce : undefined;
}
