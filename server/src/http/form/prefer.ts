/** The `Prefer` header: the preferences that this server supports, and which of them were applied. */

export interface Preferences {
  return?: 'minimal' | 'representation';
  maxPageSize?: number;
}

/** Reads the preferences. Unknown and invalid ones are ignored, as RFC 7240 requires. The first of each name counts. */
export function preferences(header: string | undefined): Preferences {
  const preferred: Preferences = {};
  for (const part of header?.split(/[,;]/) ?? []) {
    const [name = '', value = ''] = part.split('=').map((text) => text.trim().replaceAll('"', '').toLowerCase());
    if (name === 'return' && (value === 'minimal' || value === 'representation')) preferred.return ??= value;
    if (/^(odata\.)?maxpagesize$/.test(name) && /^[1-9]\d{0,8}$/.test(value)) preferred.maxPageSize ??= Number(value);
  }
  return preferred;
}

/** Returns the header `Preference-Applied` with this text; no header without a text. */
export function applied(text: string | undefined): Record<string, string> {
  return text === undefined ? {} : { 'preference-applied': text };
}
