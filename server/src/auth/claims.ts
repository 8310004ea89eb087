/** Reads the claims of a sign-in in the various forms that providers send. */
import { oneLine, startOf } from '@cloudfit/contract/one-line.ts';

export type Claims = Readonly<Record<string, unknown>>;

/** Value at a path such as `groups` or `resource_access.cloudfit.roles`; a claim whose name contains dots takes precedence. */
export function claimAt(claims: Claims, path: string): unknown {
  if (path in claims) return claims[path];
  let value: unknown = claims;
  for (const part of path.split('.')) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    value = (value as Record<string, unknown>)[part];
  }
  return value;
}

/** Groups from a list, or from a text that is separated by commas (groups may then contain spaces) or by spaces. */
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
  const line = typeof value === 'string' ? startOf(oneLine(value), longest) : '';
  return line === '' ? undefined : line;
}
