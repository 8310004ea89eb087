/** Seeds operations of a device: one that reports, one with a queued run, one on demand, one that is disabled. */
import type { Api } from './panel-world.ts';

/** Seeds the operations. Returns the ids of the one that reports and of the one with a queued run. */
export async function seedOperations(
  call: Api,
  deviceId: string,
  operationId: string,
): Promise<Record<'deviceOperation' | 'askedOperation', string>> {
  const make = async (label: string, body: Record<string, unknown>) => {
    const first = {
      deviceId,
      operationId,
      label,
      enabled: true,
      frequencyTypeId: 2,
      parameters: [{ Name: 'Path', Source: 1, Value: '/' }],
    };
    return String((await call('PUT', '/v1/deviceOperations', { ...first, ...body }))['deviceOperationId']);
  };
  const account = { Name: 'Account', Source: 3, Value: [{ PlaceholderKey: '{Account}', LookupKey: 'historian.account' }] };
  const deviceOperation = await make('Free space of the system disk', {
    referenceId: 'CI-4711',
    interval: '00:15:00',
    parameters: [{ Name: 'Path', Source: 1, Value: '/' }, account],
  });
  const askedOperation = await make('Free space of the historian', { frequencyTypeId: 1 });
  await make('Archive volume', { frequencyTypeId: 1 });
  await make('Old log volume', { enabled: false });
  await call('POST', `/v1/deviceOperations/${askedOperation}/enqueueOnDemand`, {});
  await call('POST', '/v1/packets', { entityId: deviceOperation, message: { Value: 61.4, Metrics: { FreePercent: 61.4, FreeGb: 318 } } });
  return { deviceOperation, askedOperation };
}
