import type { Page } from '@playwright/test';

/** A screen of the portal in one of its states. */
export interface Screen {
  name: string;
  /** The path. Its placeholders, such as `{home}` and `{unit}`, are the keys of `Places`. */
  path: string;
  /** A text that is visible once the screen is complete. */
  shows: string;
  /** Interactions before the check. */
  act?: (page: Page) => Promise<unknown>;
  /** Calls whose path contains the text fail with the status; without a status they are never answered. */
  refuses?: { path: string; status?: number };
}
