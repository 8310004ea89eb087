import { expect, it } from 'vitest';
import { builtInAction } from '../enums.ts';
import { idleProtocol } from './idle-protocol.ts';

const create = (Parameters = {}) => ({ ActionDefinitionId: builtInAction.createWorkUnit, Parameters });
const mail = { ActionDefinitionId: builtInAction.email, Parameters: {} };

it('says why the protocol of a rule never runs', () => {
  expect(idleProtocol({ protocolId: 'p', matchActions: [mail], expirationActions: [] })).toMatch(/no action of the rule opens one/);
  expect(idleProtocol({ protocolId: 'p' })).toMatch(/Add the action Create Work Unit/);
  expect(idleProtocol({ protocolId: 'p', matchActions: [create({ ProtocolId: 'q' })] })).toMatch(/names a protocol of its own/);
});

it('says nothing of a rule without a protocol, or whose protocol runs', () => {
  expect(idleProtocol({ protocolId: null, matchActions: [mail] })).toBeUndefined();
  expect(idleProtocol({ protocolId: 'p', matchActions: [mail, create()] })).toBeUndefined();
  expect(idleProtocol({ protocolId: 'p', matchActions: [], expirationActions: [create()] })).toBeUndefined();
  expect(idleProtocol({ protocolId: 'p', matchActions: [create({ ProtocolId: 'q' }), create()] })).toBeUndefined();
  const { ActionDefinitionId } = create();
  expect(
    idleProtocol({ protocolId: 'p', matchActions: [{ ...create(), ActionDefinitionId: ActionDefinitionId.toUpperCase() }] }),
  ).toBeUndefined();
});
