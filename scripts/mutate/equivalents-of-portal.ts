/** Mutants of the portal that no test can distinguish from the original, see `equivalents.ts`. */
import type { Equivalent } from './equivalents.ts';

export const equivalentsOfPortal: readonly Equivalent[] = [
  {
    file: 'portal/src/api/shared-stream.ts',
    line: "signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });",
    change: 'true → false',
    reason: 'A signal aborts once.',
  },
  {
    file: 'portal/src/api/upload.ts',
    line: "signal.addEventListener('abort', () => request.abort(), { once: true });",
    change: 'true → false',
    reason: 'A signal aborts once.',
  },
];
