/** `1,002,000`. Without Intl, whose formatter costs milliseconds on the first page. */
export function countText(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}
