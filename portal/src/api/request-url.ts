/** The address to open after the sign-in: one of this portal, but no page of the sign-in itself; otherwise `/`. */
export function requestedUrl(text: string | null | undefined): string {
  if (!text?.startsWith('/') || !URL.canParse(text, window.location.origin)) return '/';
  // Parsed as the browser does, which reads `/\` as `//`, and leaves out tabs and line breaks.
  const { origin, pathname } = new URL(text, window.location.origin);
  if (origin !== window.location.origin || pathname.startsWith('//')) return '/';
  return /\/user\/(login|callback|accessDenied)\/?$/i.test(pathname) ? '/' : text;
}

/** `/user/login?requestUrl=...` for an address. The address of a login page is not nested. */
export function loginUrl(current: string): string {
  const target = requestedUrl(current);
  return target === '/' ? '/user/login' : `/user/login?requestUrl=${encodeURIComponent(target)}`;
}
