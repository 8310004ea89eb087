/** The ids of a mass edit in the address: sorted, each as the difference from the previous id, so that a thousand ids fit. */

export const massEditParam = 'massEdit';

export function printIds(ids: readonly number[]): string {
  const sorted = [...new Set(ids)].sort((a, b) => a - b);
  return sorted.map((id, at) => (id - (sorted[at - 1] ?? 0)).toString(36)).join('.');
}

/** Reads the ids from the address; empty for text that is no list of ids. */
export function readIds(text: string): number[] {
  if (!/^[0-9a-z]{1,11}(\.[0-9a-z]{1,11})*$/.test(text)) return [];
  let last = 0;
  return text.split('.').map((step) => (last += parseInt(step, 36)));
}
