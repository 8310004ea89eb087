/** Where the toasts show: as low as they can without covering a box to write in, or the buttons beside and below it. */

/** The usual distance to the edge of the window. */
const edge = 16;
const gap = 8;

interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** Returns the lowest edge at or above `floor` at which toasts cover none of `parts`; `floor` if there is no such place. */
export function lowestFree({ left, right, top, bottom }: Box, parts: readonly Box[], floor: number): number {
  const isFree = (at: number) =>
    parts.every((part) => part.right <= left || part.left >= right || part.bottom + gap <= at - (bottom - top) || part.top - gap >= at);
  const places = [floor, ...parts.map((part) => part.top - gap)].filter((at) => at <= floor && at - (bottom - top) >= gap && isFree(at));
  return places.length > 0 ? Math.max(...places) : floor;
}

/** What people write in or press next, which toasts do not cover. */
const parts = '.pager, .foot, .note-box, .message-files, .MuiDialogActions-root, [role="toolbar"], [type="submit"], textarea';

/** Moves the region where it covers nothing, unless somebody points at a toast or has the focus in it. */
export function place(region: HTMLElement): void {
  if (region.matches(':hover, :focus-within')) return;
  const { visualViewport: visible } = window;
  // The keyboard of a phone makes the visible part of the window lower.
  const height = visible ? visible.offsetTop + visible.height : innerHeight;
  const boxes = [...document.querySelectorAll(parts)].map((part) => part.getBoundingClientRect());
  const shown = boxes.filter((box) => box.height > 0 && box.bottom > 0 && box.top < height);
  region.style.bottom = `${Math.round(innerHeight - lowestFree(region.getBoundingClientRect(), shown, height - edge))}px`;
}
