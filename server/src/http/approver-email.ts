/** The parameter `approverEmail` of the lists of work units: a condition of their `$filter` (API-150). */
import { compare, or } from '@cloudfit/contract/query/build.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';

const listOfWorkUnits = new RegExp(String.raw`^/v1/${workUnits.name}(?:/\$count|/Export)?\?`, 'i');

/**
 * Returns the condition that a person is an approver. People write an address in any case; it is stored as written, or
 * in lower case.
 */
function isApprover(email: string): string | undefined {
  const spellings = [...new Set([email, email.toLowerCase()])];
  return or(
    ...spellings.flatMap((spelling) => [compare(workUnits, 'approver1', 'eq', spelling), compare(workUnits, 'approver2', 'eq', spelling)]),
  );
}

function decoded(value: string): string | undefined {
  try {
    return decodeURIComponent(value.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

/** Returns the decoded name and the encoded value of a part of a query. */
function pairOf(part: string): { name: string; value: string } {
  const [name = '', ...value] = part.split('=');
  return { name: (decoded(name) ?? '').trim(), value: value.join('=') };
}

/**
 * Converts `?approverEmail=ann@example.com&$top=5` of an address whose path is plain to `?$filter=approver1 eq
 * ...&$top=5`. An invalid query, or one that names an option twice, is returned unchanged, so that the list refuses it.
 */
export function withApproverFilter(url: string): string {
  const path = listOfWorkUnits.exec(url)?.[0];
  if (path === undefined) return url;
  const parts = url.slice(path.length).split('&');
  const [email, ...more] = parts.filter((part) => pairOf(part).name === 'approverEmail');
  const [requested, ...others] = parts.filter((part) => /^\$?filter$/i.test(pairOf(part).name));
  if (email === undefined || more.length > 0 || others.length > 0) return url;
  const value = decoded(pairOf(email).value);
  if (value === undefined) return url;
  const rest = parts.filter((part) => part !== email && part !== requested);
  const condition = value === '' ? undefined : isApprover(value);
  if (condition === undefined) return path + parts.filter((part) => part !== email).join('&');
  const before = requested === undefined ? '' : `(${pairOf(requested).value})%20and%20`;
  return path + [`$filter=${before}(${encodeURIComponent(condition)})`, ...rest].join('&');
}
