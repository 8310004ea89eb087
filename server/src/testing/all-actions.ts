/** Every declared call of the server, including those that write their own answer, for tests over all of them. */
import type { Action } from '@cloudfit/contract/action.ts';
import { actions, type ActionParts } from '../app/actions.ts';
import { descriptionActions } from '../http/metadata/calls.ts';
import { rawRoutes } from '../http/raw-calls.ts';
import type { RawRoute } from '../http/request-steps.ts';

/** Implementations for tests in which every caller is refused before they run. */
export function declaredRawRoutes(): readonly RawRoute[] {
  return rawRoutes({} as Parameters<typeof rawRoutes>[0]);
}

export function allActions(): Action[] {
  const implemented = [...actions({} as ActionParts), ...declaredRawRoutes()];
  return [...implemented.map(({ action }) => action), ...descriptionActions];
}
