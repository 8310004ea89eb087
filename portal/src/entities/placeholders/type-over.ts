/**
 * Replaces a part of a text as typing does: the browser's undo reverts it, and the caret stands after it. A text that is longer
 * than the field allows is written as a whole, so that no name is cut off.
 */
export function typeOver(control: HTMLInputElement | HTMLTextAreaElement, from: number, to: number, text: string): void {
  control.focus();
  control.setSelectionRange(from, to);
  const isTooLong = control.maxLength >= 0 && control.value.length - (to - from) + text.length > control.maxLength;
  // The browser's undo knows only this way to write a text. Test environments do not have it.
  const isTyped = !isTooLong && 'execCommand' in document && document.execCommand(text === '' ? 'delete' : 'insertText', false, text);
  if (isTyped) return;
  control.setRangeText(text, from, to, 'end');
  control.dispatchEvent(new Event('input', { bubbles: true }));
}
