/** Reports of agents about the operations and packages that campaigns ask of them. */
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { TestCaller, TestWorld } from '../../testing/world.ts';
import { followCampaigns } from './follow.ts';

/** The calls of agents of the devices of `me`; campaigns follow each. */
export function agentReports(of: () => TestWorld, me: () => TestCaller, packageId: () => string) {
  const agentOf = (deviceId: string): TestCaller => ({
    ...me(),
    actor: { kind: 'device', id: deviceId, name: 'pump', registrationId: randomUUID() },
  });
  async function reportRun(deviceId: string, over: object): Promise<void> {
    const [operation] = await of().system.db.query<{ id: string; token: string }>({
      text: 'select device_operation_id as id, completion_token as token from device_operation where device_id = $1 and completion_token is not null',
      values: [deviceId],
    });
    const now = new Date().toISOString();
    const run = {
      operationRunId: operation?.token,
      deviceOperationId: operation?.id,
      completionToken: operation?.token,
      status: 'Success',
      started: now,
      ended: now,
      durationMs: 5,
      exitCode: 0,
      value: null,
      message: null,
      progress: null,
      output: null,
      ...over,
    };
    const answer = await of().call(agentOf(deviceId), 'POST', '/v1/agent/runs', { machineKey: randomUUID(), runs: [run] });
    expect([answer.status, answer.body]).toEqual([200, { stored: 1 }]);
    await followCampaigns(of().system);
  }
  const installation = async (deviceId: string) =>
    (
      await of().system.db.query<{ target: string | null; status: string; wish_number: number; installed: string | null }>({
        text: 'select package_version_id as target, install_status as status, wish_number, installed_version_id as installed from device_installation where device_id = $1',
        values: [deviceId],
      })
    )[0];
  async function reportInstallation(deviceId: string, status: string, over: object = {}): Promise<void> {
    const row = await installation(deviceId);
    const report = {
      packageId: packageId(),
      wantedVersionId: row?.target ?? null,
      wishNumber: row?.wish_number,
      status,
      progress: null,
      detail: null,
      installedVersionId: status === 'Installed' ? row?.target : null,
      ...over,
    };
    const answer = await of().call(agentOf(deviceId), 'POST', '/v1/agent/installations', { machineKey: randomUUID(), reports: [report] });
    expect([answer.status, answer.body]).toEqual([200, { stored: 1 }]);
    await followCampaigns(of().system);
  }
  return { reportRun, installation, reportInstallation };
}
