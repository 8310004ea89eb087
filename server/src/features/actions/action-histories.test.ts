/** The records of what actions did, as clients find them. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { builtInAction } from '@cloudfit/contract/enums.ts';
import { proves } from '@cloudfit/contract/testing/proves.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../testing/world.ts';

let world: TestWorld;
let tenantId: string;
let me: TestCaller;

beforeAll(async () => {
  world = await createWorld();
  ({ tenantId } = await world.tenant());
  me = holder([tenantId]);
});
afterAll(() => world.close());

it('[ACT-050] action histories are found by action, correlation, reference and what stands in their parameters', async () => {
  const correlation = crypto.randomUUID();
  const actionId = builtInAction.createWorkUnit;
  const protocolAction = crypto.randomUUID();
  await world.system.db.query({
    text: `insert into action_history (tenant_id, action_definition_id, result_status_id, input_parameters, correlation_id, reference_id, message_id)
      select $1, $2, n, case n when 5 then $4 else '{}' end, $3, 'ref-' || n, uuidv7() from generate_series(0, 5) n`,
    values: [tenantId, actionId, correlation, JSON.stringify({ ProtocolActionId: protocolAction })],
  });
  const idsOf = async (filter: string) =>
    (await world.call(me, 'GET', `/v1/actionHistories?$filter=${encodeURIComponent(filter)}&$orderby=resultStatusId`)).body.value?.map(
      (row) => row['resultStatusId'],
    );
  await proves('[ACT-053] [API-070] by correlation, in each of the six statuses', async () =>
    expect(await idsOf(`correlationId eq ${correlation}`)).toEqual([0, 1, 2, 3, 4, 5]),
  );
  await proves('[API-069] by action and correlation', async () =>
    expect(await idsOf(`actionDefinitionId eq ${actionId} and correlationId eq ${correlation}`)).toHaveLength(6),
  );
  await proves('[API-160] by correlation and several actions', async () =>
    expect(await idsOf(`correlationId eq ${correlation} and actionDefinitionId in (${actionId},${builtInAction.email})`)).toHaveLength(6),
  );
  await proves('[API-072] by reference', async () =>
    expect(await idsOf(`correlationId eq ${correlation} and referenceId eq 'ref-2'`)).toEqual([2]),
  );
  await proves('[API-073] by a protocol action among the parameters', async () =>
    expect(await idsOf(`contains(inputParameters,'${protocolAction}')`)).toEqual([5]),
  );
});
