/** `1,002,000`. Made by hand: an Intl formatter costs a first page milliseconds before it has formatted anything. */
export function countText(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}
