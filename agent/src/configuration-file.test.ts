import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { AgentConfiguration } from '@cloudfit/contract/agent/messages.ts';
import { openConfigurationFile } from './configuration-file.ts';

const configuration: AgentConfiguration = {
  deviceId: '0199aaaa-0000-7000-8000-000000000001',
  name: 'test',
  enabled: true,
  heartbeatInterval: 30,
  restartAgentFlag: false,
  traceExpiration: null,
  operations: [],
  packages: [],
  publishers: [],
  onlyTrustedPublishers: false,
  version: 'v1',
};

it('keeps the last configuration, which others may not read, until there is none', () => {
  const folder = mkdtempSync(join(tmpdir(), 'configuration-'));
  try {
    const file = openConfigurationFile(folder);
    expect(file.read()).toBeUndefined();
    for (const version of ['v1', 'v2']) {
      file.write({ ...configuration, version });
      expect(openConfigurationFile(folder).read()).toMatchObject({ version, heartbeatInterval: 30 });
    }
    expect(readdirSync(folder)).toEqual(['configuration.json']);
    expect(statSync(join(folder, 'configuration.json')).mode & 0o777).toBe(0o600);
    // A file that a crash left half written, or of another version, is none.
    for (const text of ['{"deviceId":', '{}']) {
      writeFileSync(join(folder, 'configuration.json'), text);
      expect(file.read()).toBeUndefined();
    }
    file.write(undefined);
    expect(readdirSync(folder)).toEqual([]);
    file.write(undefined);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
