/**
 * Replaces a part of a text as typing does: the browser's undo takes it back, and the caret stands behind it. What is longer
 * than the field may be is written all the same, and not cut off within a name.
 */
export function typeOver(control: HTMLInputElement | HTMLTextAreaElement, from: number, to: number, text: string): void {
  control.focus();
  control.setSelectionRange(from, to);
  const isTooLong = control.maxLength >= 0 && control.value.length - (to - from) + text.length > control.maxLength;
  // Of all ways to write a text only this one is known to the browser's undo. Test environments do not have it.
  const isTyped = !isTooLong && 'execCommand' in document && document.execCommand(text === '' ? 'delete' : 'insertText', false, text);
  if (isTyped) return;
  control.setRangeText(text, from, to, 'end');
  control.dispatchEvent(new Event('input', { bubbles: true }));
}
