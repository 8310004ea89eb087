/** Every declared call of the server, raw calls included, for tests that look at all of them. */
import type { Action } from '@cloudfit/contract/action.ts';
import { actions, type ActionParts } from '../app/actions.ts';
import type { RawCall } from '../http/api.ts';
import { descriptionActions } from '../http/metadata/calls.ts';
import { rawCalls } from '../http/raw-calls.ts';
import type { Implemented } from '../resources/action.ts';

/** Raw calls for a world in which nobody gets as far as to run them. */
export function declaredRawCalls(): { actions: readonly Implemented[]; rawCalls: ReadonlyMap<string, RawCall> } {
  const { actions: declared, calls } = rawCalls({} as Parameters<typeof rawCalls>[0]);
  return { actions: declared, rawCalls: calls };
}

export function allActions(): Action[] {
  const implemented = [...actions({} as ActionParts), ...declaredRawCalls().actions];
  return [...implemented.map(({ action }) => action), ...descriptionActions];
}
