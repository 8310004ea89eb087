/** What a person types between opening the command palette and its input having the focus. */
let text = '';

export const typedAhead = (): string => text;

export function typeAhead(key: string): void {
  text += key;
}

export function clearTypedAhead(): void {
  text = '';
}
