/** Whether the protocol of a rule can run: a rule without a work unit has nothing that it could run on. */
import { builtInAction } from '../enums.ts';
import type { ActionCall } from '../rules/schema.ts';

interface RuleOfProtocol {
  protocolId?: string | null | undefined;
  matchActions?: readonly ActionCall[] | null | undefined;
  expirationActions?: readonly ActionCall[] | null | undefined;
}

/** Returns why the protocol of the rule never runs; undefined when it can, or when there is none. */
export function idleProtocol({ protocolId, matchActions, expirationActions }: RuleOfProtocol): string | undefined {
  if (!protocolId) return undefined;
  const opening = [...(matchActions ?? []), ...(expirationActions ?? [])].filter(
    (call) => call.ActionDefinitionId.toLowerCase() === builtInAction.createWorkUnit,
  );
  if (opening.length === 0)
    return 'The protocol never runs: it belongs to the work unit of a match, and no action of the rule opens one. Add the action Create Work Unit.';
  return opening.every(({ Parameters }) => Parameters['ProtocolId'])
    ? 'The protocol never runs: each action Create Work Unit names a protocol of its own. Leave one of the two out.'
    : undefined;
}
