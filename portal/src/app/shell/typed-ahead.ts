/** The letters that a person typed after opening the command palette, before its input had the focus. */
let text = '';

export function typeAhead(key: string): void {
  text += key;
}

export function takeTypedAhead(): string {
  const typed = text;
  text = '';
  return typed;
}
