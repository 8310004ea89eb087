/**
 * Replaces a part of a text as typing does: the browser's undo reverts the change, and the caret is after the new text. A text
 * that is longer than the field allows is set without typing, so that no name is cut off.
 */
export function typeOver(control: HTMLInputElement | HTMLTextAreaElement, from: number, to: number, text: string): void {
  control.focus();
  control.setSelectionRange(from, to);
  const isTooLong = control.maxLength >= 0 && control.value.length - (to - from) + text.length > control.maxLength;
  // Only text that `execCommand` writes can be reverted by the browser's undo. Test environments have no `execCommand`.
  const isTyped = !isTooLong && 'execCommand' in document && document.execCommand(text === '' ? 'delete' : 'insertText', false, text);
  if (isTyped) return;
  control.setRangeText(text, from, to, 'end');
  control.dispatchEvent(new Event('input', { bubbles: true }));
}
