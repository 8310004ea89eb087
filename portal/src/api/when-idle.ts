/** The longest wait for an idle browser. */
const maxMs = 300;

/** Resolves when the browser is idle; in a browser without `requestIdleCallback` (Safari), after a short delay. */
export const whenIdle = (): Promise<void> =>
  new Promise((resolve) => {
    if ('requestIdleCallback' in window) requestIdleCallback(() => resolve(), { timeout: maxMs });
    else setTimeout(resolve, 50);
  });
