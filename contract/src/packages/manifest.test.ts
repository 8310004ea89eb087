import { describe, expect, it } from 'vitest';
import { parseManifest } from './manifest.ts';

const right = { name: 'Metrics', version: '1.0.0', type: 'Watcher', executable: 'bin/run.js', executableType: 'Script' };
const read = (over: Record<string, unknown>) => parseManifest(JSON.stringify({ ...right, ...over }));
const faults = (over: Record<string, unknown>): string[] => {
  const manifest = read(over);
  return 'faults' in manifest ? manifest.faults.map(({ field, message }) => `${field} ${message}`) : [];
};

describe('a manifest', () => {
  it('needs few fields and has defaults for the others', () => {
    expect(read({})).toEqual({
      manifest: { ...right, type: 1, executableType: 2, description: '', parameters: [], operations: [] },
    });
    expect(read({ operatingSystems: ['WinX64', 'LinuxX64', 'WinX64'] })).toMatchObject({ manifest: { operatingSystems: 5 } });
  });

  it('[PKG-019] takes versions of SemVer 2 with an optional pre-release tag', () => {
    for (const version of ['0.0.0', '1.2.3', '10.20.30', '1.0.0-beta1', '1.0.0-alpha.1.x-y-z', '1.0.0--'])
      expect(faults({ version })).toEqual([]);
    for (const version of ['1', '1.2', 'v1.2.3', '1.2.3.4', '01.2.3', '1.2.3-', '1.2.3-01', '1.2.3-a..b', '1.2.3+build', ' 1.2.3', '1.2.x'])
      expect(faults({ version })).toHaveLength(1);
  });

  it('says what is wrong with which field', () => {
    expect(faults({ name: undefined, type: 'Sensor', executable: '../run', operatingSystems: [] })).toEqual([
      'name is missing',
      'type must be one of Watcher, Command, ScriptRunner, AgentLogic, AgentRunner, AgentUpdater, SecuredValue',
      'executable must be a path inside the zip, with / between folders',
      'operatingSystems is empty',
    ]);
    expect(faults({ operations: [{ name: 'A' }, { name: 'a' }] })).toEqual(['operations has two operations of one name']);
    expect(faults({ operations: [{ name: 'A', parameters: [{ name: 'P', source: 'Sky' }] }] })).toEqual([
      'operations[0].parameters[0].source must be one of PortalEntry, EnvironmentVariable, SecuredValue, RuntimeConfig',
    ]);
    expect(faults({ referenceUrl: 'javascript:alert(1)' })).toEqual(['referenceUrl must be an address that starts with http']);
    expect(parseManifest('{')).toMatchObject({ faults: [{ field: '' }] });
    expect(parseManifest('[]')).toMatchObject({ faults: [{ field: '' }] });
  });
});

describe('how a program is started and speaks', () => {
  const operation = (over: Record<string, unknown>) =>
    faults({ operations: [{ name: 'A', parameters: [{ name: 'Host' }, { name: 'Key', source: 'SecuredValue' }], ...over }] });

  it('has arguments, a form of output and a time limit', () => {
    expect(operation({ arguments: ['-H', '{Host}', '{"a": 1}', '^a{2}$'], output: 'nagios', timeLimit: '00:05:00' })).toEqual([]);
    expect(read({ operations: [{ name: 'A' }] })).toMatchObject({
      manifest: { operations: [{ arguments: [], output: 'text', timeLimit: '00:01:00' }] },
    });
  });

  it('says what is wrong with them', () => {
    expect(operation({ output: 'xml', timeLimit: '00:00:00' })).toEqual([
      'operations[0].output must be one of text, json, nagios, influx, prometheus',
      'operations[0].timeLimit must be longer than zero',
    ]);
    expect(operation({ arguments: ['{Hots}', '--key={Key}'] })).toEqual([
      'operations[0].arguments[0] names {Hots}, which is not a parameter of the operation',
      'operations[0].arguments[1] names {Key}, which is a secured value: read it from the environment',
    ]);
  });
});
