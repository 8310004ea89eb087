/**
 * Lets the runner limit how long tests of the portal wait for a condition: a mutant often prevents it, and the tests themselves wait
 * for half a minute, for a busy machine.
 */
import { configure } from '@testing-library/react';

declare global {
  /** Defined in tests of the portal. */
  var __limitWaits: ((ms: number) => void) | undefined;
}

globalThis.__limitWaits = (ms) => configure({ asyncUtilTimeout: ms });
