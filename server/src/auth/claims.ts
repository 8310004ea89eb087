/** Reads a sign-in's claims as providers really send them. */

export type Claims = Readonly<Record<string, unknown>>;

/** Value at a path like `groups` or `resource_access.cloudfit.roles`; a claim whose name holds dots wins over a path. */
export function claimAt(claims: Claims, path: string): unknown {
  if (path in claims) return claims[path];
  let value: unknown = claims;
  for (const part of path.split('.')) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    value = (value as Record<string, unknown>)[part];
  }
  return value;
}

/** Group values from a list, or from a text with commas (which may then hold spaces) or with spaces between them. */
export function groupValues(value: unknown): string[] {
  const parts = Array.isArray(value)
    ? value.filter((v) => typeof v === 'string')
    : typeof value === 'string'
      ? value.split(value.includes(',') ? ',' : /\s+/)
      : [];
  return [...new Set(parts.map((part) => part.trim()).filter((part) => part !== ''))].toSorted();
}

export function textClaim(claims: Claims, name: string, longest = 320): string | undefined {
  const value = claims[name];
  return typeof value === 'string' && value.trim() !== '' ? value.trim().slice(0, longest) : undefined;
}
