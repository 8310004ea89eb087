/** The work units of a mass edit in the address: sorted, each as its difference from the previous id, so that a thousand fit. */

export const massEditParam = 'massEdit';

export function printIds(ids: readonly number[]): string {
  const sorted = [...new Set(ids)].sort((a, b) => a - b);
  return sorted.map((id, at) => (id - (sorted[at - 1] ?? 0)).toString(36)).join('.');
}

/** Text that is no list of ids gives an empty list. */
export function readIds(text: string): number[] {
  if (!/^[0-9a-z]{1,11}(\.[0-9a-z]{1,11})*$/.test(text)) return [];
  let last = 0;
  return text.split('.').map((step) => (last += parseInt(step, 36)));
}
