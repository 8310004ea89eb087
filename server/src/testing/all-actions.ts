/** Every declared call of the server, including those that write their own answer, for tests over all of them. */
import type { Action } from '@cloudfit/contract/action.ts';
import { actions, type ActionParts } from '../app/actions.ts';
import { descriptionActions } from '../http/metadata/calls.ts';
import { rawRoutes } from '../http/raw-calls.ts';
import type { RawRoute } from '../http/request-steps.ts';

/** The declared raw routes. The implementations lack what they need, so tests must not reach them. */
export function declaredRawRoutes(): readonly RawRoute[] {
  return rawRoutes({} as Parameters<typeof rawRoutes>[0]);
}

export function allActions(): Action[] {
  const implemented = [...actions({} as ActionParts), ...declaredRawRoutes()];
  return [...implemented.map(({ action }) => action), ...descriptionActions];
}
