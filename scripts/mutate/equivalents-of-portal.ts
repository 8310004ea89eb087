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
  ...['quiet', 'refreshedBy'].map((name) => ({
    file: 'portal/src/api/call.ts',
    line: `...(${name} === undefined ? {} : { ${name} }),`,
    change: `${name} === undefined → false`,
    reason: 'Undefined means the default too; only the type asks for a missing property.',
  })),
  {
    file: 'portal/src/api/client.ts',
    line: '...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),',
    change: 'options.body === undefined → false',
    reason: 'The text of undefined is undefined, which is no body either.',
  },
];
