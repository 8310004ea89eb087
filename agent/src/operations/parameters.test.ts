import { describe, expect, it } from 'vitest';
import { parameterSource } from '@cloudfit/contract/enums.ts';
import type { ParameterDefinition, ParameterValue } from '@cloudfit/contract/packages/parameters.ts';
import { isOwnVariable, plainValues, RunError, secretVariable, usesSecrets, type AgentFacts } from './parameters.ts';

const { portalEntry, environmentVariable, runtimeConfig, securedValue } = parameterSource;
const facts = { DeviceId: 'd1', DeviceName: 'web', TenantId: 't1', AgentVersion: '1.2.3', ServerUrl: 'https://x.example' } as AgentFacts;
const env = { HOME: '/root', EMPTY: '', CLOUDFIT_TOKEN: 'cfst_secret' };

const defined = (Source: number, more: Partial<ParameterDefinition> = {}): ParameterDefinition => ({
  Name: 'P',
  Description: '',
  Required: false,
  DefaultValue: '',
  ...more,
  Source,
});
const valueOf = (definition: ParameterDefinition, Value?: ParameterValue['Value']) =>
  plainValues([definition], Value === undefined ? [] : [{ Name: 'P', Source: definition.Source, Value }], { env, facts }).get('P');

describe('the value of a parameter', () => {
  it.each([
    [portalEntry, 'a', 'b', 'a'],
    [portalEntry, ' ', 'b', 'b'],
    [portalEntry, null, 'b', 'b'],
    [portalEntry, undefined, 'b', 'b'],
    [portalEntry, ' a ', '', ' a '],
    [portalEntry, undefined, '', undefined],
    [environmentVariable, ' HOME ', '', '/root'],
    [environmentVariable, undefined, 'HOME', '/root'],
    [environmentVariable, 'EMPTY', '', undefined],
    [environmentVariable, 'MISSING', '', undefined],
    [runtimeConfig, 'devicename', '', 'web'],
    [runtimeConfig, undefined, 'TenantId', 't1'],
    [securedValue, [{ PlaceholderKey: 'Key', LookupKey: 'key' }], 'b', undefined],
  ] as const)('of source %i with %j and the default "%s" is %j', (source, value, DefaultValue, expected) => {
    expect(valueOf(defined(source, { DefaultValue }), value as ParameterValue['Value'])).toBe(expected);
  });

  it.each([
    [portalEntry, undefined, '(PortalEntry) is required'],
    [environmentVariable, 'MISSING', 'the environment variable MISSING is not set on this machine'],
    [environmentVariable, 'EMPTY', 'the environment variable EMPTY is not set on this machine'],
    [environmentVariable, ' ', 'has no value'],
    [securedValue, undefined, 'names no secret'],
    [securedValue, [], 'names no secret'],
  ] as const)('of source %i with %j is missed where it is required', (source, value, reason) => {
    const read = () => valueOf(defined(source, { Required: true }), value as unknown as ParameterValue['Value']);
    expect(read).toThrow(RunError);
    expect(read).toThrow(reason);
  });

  it('is no setting of the agent, in whatever case, and no fact that the agent does not have', () => {
    for (const name of ['CLOUDFIT_TOKEN', 'cloudfit_token'])
      expect(() => valueOf(defined(environmentVariable), name)).toThrow('a setting of the agent');
    expect(() => valueOf(defined(runtimeConfig), 'Password')).toThrow('which the agent does not know. It knows DeviceId');
    expect(['CLOUDFIT_X', 'Cloudfit_x', 'MY_CLOUDFIT_X', 'CLOUDFITX'].map(isOwnVariable)).toEqual([true, true, false, false]);
  });
});

it('reads secrets only for parameters that name one', () => {
  const assigned = (Source: number, Value: ParameterValue['Value']): ParameterValue[] => [{ Name: 'P', Source, Value }];
  const entry = [{ PlaceholderKey: 'Key', LookupKey: 'key' }];
  expect([usesSecrets([]), usesSecrets(assigned(securedValue, [])), usesSecrets(assigned(portalEntry, 'x'))]).toEqual([
    false,
    false,
    false,
  ]);
  expect([usesSecrets(assigned(securedValue, entry)), secretVariable(' Api-key (new) ')]).toEqual([true, 'CLOUDFIT_SECRET_API_KEY_NEW']);
});
