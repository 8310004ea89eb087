/** What a person types between opening the command palette and its input having the focus. */
let text = '';

export function typeAhead(key: string): void {
  text += key;
}

export function takeTypedAhead(): string {
  const typed = text;
  text = '';
  return typed;
}
