/** Longest wait of what is not urgent. */
const maxMs = 300;

/** Resolves when the browser has drawn what is more urgent; where it does not say so (Safari), shortly after. */
export const whenIdle = (): Promise<void> =>
  new Promise((resolve) => {
    if ('requestIdleCallback' in window) requestIdleCallback(() => resolve(), { timeout: maxMs });
    else setTimeout(resolve, 50);
  });
