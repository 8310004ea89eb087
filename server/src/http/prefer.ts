/** The `Prefer` header: what of it this server does, and which part of it was applied. */

export interface Preferences {
  return?: 'minimal' | 'representation';
  maxPageSize?: number;
}

/** Preferences that are not known, or not valid, are passed over, as RFC 7240 wants it. The first of a name counts. */
export function preferences(header: string | undefined): Preferences {
  const preferred: Preferences = {};
  for (const part of header?.split(/[,;]/) ?? []) {
    const [name = '', value = ''] = part.split('=').map((text) => text.trim().replaceAll('"', '').toLowerCase());
    if (name === 'return' && (value === 'minimal' || value === 'representation')) preferred.return ??= value;
    if (/^(odata\.)?maxpagesize$/.test(name) && /^[1-9]\d{0,8}$/.test(value)) preferred.maxPageSize ??= Number(value);
  }
  return preferred;
}

/** `Preference-Applied` for these, or nothing. */
export function applied(text: string | undefined): Record<string, string> {
  return text === undefined ? {} : { 'preference-applied': text };
}
