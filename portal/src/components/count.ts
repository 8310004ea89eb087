/** `1,002,000`. Not by Intl: its formatter costs a first page milliseconds. */
export function countText(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}
