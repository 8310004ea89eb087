/**
 * Layout settings of the intake panel in this browser (SET-003..009). One key each: `hideTitle.use()` in a component,
 * `hideTitle.set(true)` anywhere.
 */
import { browserStore } from './browser-store.ts';

const isOn = (stored: unknown) => stored === true;

/** Hides Drafts and Save as Draft. */
export const disableDrafts = browserStore('cloudfit.intake.disableDrafts', isOn);
/** Sorts tenants: favorites first, then recently used tenants, then the rest. When off, by name. */
export const sortByFavorites = browserStore('cloudfit.intake.sortByFavorites', isOn);
/** Hides the title; the first line of the description becomes the title. */
export const hideTitle = browserStore('cloudfit.intake.hideTitle', isOn);
