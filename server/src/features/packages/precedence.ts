import { parse } from 'semver';

/** Longer than the largest number that SemVer libraries take. */
const digits = 16;
const number = (value: number): string => String(value).padStart(digits, '0');

/**
 * Text that sorts, by bytes, as SemVer 2 orders the versions themselves. A release ends in `~`, above every
 * pre-release; of a tag's parts numbers (`0`) stand below names (`1`), and `!` below all that can follow a name.
 */
export function precedenceOf(version: string): string {
  const parsed = parse(version);
  if (!parsed) throw new Error(`${version} is no version.`);
  const tag = parsed.prerelease.map((part) => (typeof part === 'number' ? `0${number(part)}!` : `1${part}!`)).join('');
  return `${number(parsed.major)}.${number(parsed.minor)}.${number(parsed.patch)}${tag === '' ? '~' : tag}`;
}

export function isPreRelease(version: string): boolean {
  return (parse(version)?.prerelease.length ?? 0) > 0;
}
