import parse from 'semver/functions/parse.js';

/** The number of digits of the largest number that SemVer libraries accept, 2^53 - 1. */
const digits = 16;
const number = (value: number): string => String(value).padStart(digits, '0');

/**
 * Returns a text whose byte order is the precedence of SemVer 2. A release ends in `~`, above every pre-release. In a tag,
 * numeric parts (prefix `0`) sort below alphanumeric ones (prefix `1`), and `!` ends a part because it sorts below every
 * character of a name.
 */
export function precedenceOf(version: string): string {
  const parsed = parse(version);
  if (!parsed) throw new Error(`${version} is not a version.`);
  const tag = parsed.prerelease.map((part) => (typeof part === 'number' ? `0${number(part)}!` : `1${part}!`)).join('');
  return `${number(parsed.major)}.${number(parsed.minor)}.${number(parsed.patch)}${tag === '' ? '~' : tag}`;
}

export function isPreRelease(version: string): boolean {
  return (parse(version)?.prerelease.length ?? 0) > 0;
}
