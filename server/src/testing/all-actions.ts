/** Every declared call of the server, raw calls included, for tests that look at all of them. */
import type { Action } from '@cloudfit/contract/action.ts';
import { actions, type ActionParts } from '../app/actions.ts';
import { descriptionActions } from '../http/metadata/calls.ts';
import { rawRoutes } from '../http/raw-calls.ts';
import type { RawRoute } from '../http/request-steps.ts';

/** Raw calls for a world in which nobody gets as far as to run them. */
export function declaredRawRoutes(): readonly RawRoute[] {
  return rawRoutes({} as Parameters<typeof rawRoutes>[0]);
}

export function allActions(): Action[] {
  const implemented = [...actions({} as ActionParts), ...declaredRawRoutes()];
  return [...implemented.map(({ action }) => action), ...descriptionActions];
}
