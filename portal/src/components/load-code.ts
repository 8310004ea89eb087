/** Loads parts of the portal's code when they are needed first, also while the network comes and goes. */

/** Waits while the server does not answer; false if it did all the time. Set at the start, because parts know nothing of the server. */
let untilAnswered: () => Promise<boolean> = () => Promise.resolve(false);

export function waitForServerBy(wait: () => Promise<boolean>): void {
  untilAnswered = wait;
}

/** Styles that did not arrive stay in the page as empty links, which nothing loads again. */
function loadStylesAgain(): void {
  for (const link of document.querySelectorAll<HTMLLinkElement>('link[rel="stylesheet"]'))
    if (!link.sheet) link.replaceWith(link.cloneNode());
}

/**
 * Returns what `load` imports. It tries again once the server answers, so that a screen waits in place of being replaced by an error.
 * If the server answers and the code is still not there, as after an update of the portal, that is an error.
 */
export async function loadCode<T>(load: () => Promise<T>): Promise<T> {
  for (let isAgain = false; ;) {
    try {
      return await load();
    } catch (error) {
      const wasAway = await untilAnswered();
      if (isAgain && !wasAway) throw error;
      isAgain = !wasAway;
      loadStylesAgain();
    }
  }
}
