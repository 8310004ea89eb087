let isPressed = false;
for (const [event, pressed] of [
  ['pointerdown', true],
  ['pointerup', false],
  ['pointercancel', false],
] as const)
  document.addEventListener(event, () => (isPressed = pressed), { capture: true });

/** Runs at once, or after the click during which it was asked for: an error that appears in between moves the button away, and the click is lost. */
export function afterPress(run: () => void): void {
  if (!isPressed) return run();
  const done = new AbortController();
  const later = () => {
    done.abort();
    setTimeout(run);
  };
  for (const event of ['pointerup', 'pointercancel'] as const)
    document.addEventListener(event, later, { capture: true, signal: done.signal });
}
