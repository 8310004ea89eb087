/** The address to open after the sign-in: one of this portal, but no page of the sign-in itself; otherwise `/`. */
export function requestedUrl(text: string | null): string {
  if (!text?.startsWith('/') || text.startsWith('//') || text.startsWith('/\\')) return '/';
  const path = text.split('?')[0] ?? '';
  return /\/user\/(login|callback|accessDenied)\/?$/i.test(path) ? '/' : text;
}

/** `/user/login?requestUrl=...` for an address. The address of a login page is not nested. */
export function loginUrl(current: string): string {
  const target = requestedUrl(current);
  return target === '/' ? '/user/login' : `/user/login?requestUrl=${encodeURIComponent(target)}`;
}
