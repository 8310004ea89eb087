/** The policies that hold for a device, and what it has from them. */
import type { PolicyItemKind, PolicyItemState, PolicyLeave } from '@cloudfit/contract/policies/choices.ts';
import { inOrder, type ItemValue, type PolicyContent } from '@cloudfit/contract/policies/effective.ts';
import type { Db } from '../../db/db.ts';

export interface DevicePolicy extends PolicyContent {
  deviceSelectionId: string;
  /** A new version that is going out in rings. */
  rollout: { campaignId: string; ring: number; hasNew: boolean } | null;
  except: readonly string[];
}

/** The fields of `DevicePolicy` of the policy `p`, without the selection. */
export const policyColumns = `p.policy_id as "policyId", p.name, p.rank, p.operations, p.packages, p.tags,
  p.heartbeat_interval as "heartbeatInterval", p.rule_values as "ruleValues", p.forbids_others as "forbidsOthers", p.on_leave as "onLeave"`;

/** A device of a rollout that has begun has the changed fields of the policy already. */
const policiesText = `select ${policyColumns}, m.device_selection_id as "deviceSelectionId", n.rollout, case when n.has_new then n.definition end as definition,
  (select array_agg(coalesce(x.thing, '*')) from policy_exception x
    where x.tenant_id = m.tenant_id and x.policy_id = p.policy_id and x.device_id = m.device_id and (x.until is null or x.until > now())) as "except"
from selection_member m join device_policy p on p.device_selection_id = m.device_selection_id and not p.is_deleted
left join lateral (
  select r.definition, x.has_new, json_build_object('campaignId', r.campaign_id, 'ring', d.ring, 'hasNew', x.has_new) as rollout
  from policy_rollout r join campaign_device d on d.campaign_id = r.campaign_id and d.device_id = m.device_id
  cross join lateral (select d.begun is not null and d.is_own as has_new) x where r.policy_id = p.policy_id and r.ended is null) n on true
where m.device_id = $1 and rule_is_for(p.tenant_id, p.tenant_group_id, m.tenant_id)
  and case when n.has_new and n.definition ? 'enabled' then (n.definition ->> 'enabled')::boolean else p.enabled end`;

/** The policies of a device, the winning ones first, without those that an exception keeps from it. */
export async function policiesOfDevice(db: Db, deviceId: string): Promise<DevicePolicy[]> {
  const rows = await db.query<Omit<DevicePolicy, 'except'> & { definition: Partial<PolicyContent> | null; except: string[] | null }>({
    name: 'policies-of-device',
    text: policiesText,
    values: [deviceId],
  });
  const policies = rows.map(({ definition, except, ...policy }) => ({ ...policy, ...definition, except: except ?? [] }));
  return inOrder(policies.filter(({ except }) => !except.includes('*')));
}

/** What a device has from a policy, as it is stored. */
export interface StoredItem {
  policyId: string;
  kind: PolicyItemKind;
  key: string;
  label: string;
  value: ItemValue['of'];
  had: unknown;
  deviceOperationId: string | null;
  onLeave: PolicyLeave;
  state: PolicyItemState;
  detail: string | null;
  since: string;
  mended: number;
  mendedOn: string | null;
}

// A device that is excepted has not left, so it keeps nothing of what it is excepted from.
const itemsText = `select policy_id as "policyId", kind, key, label, value, had, device_operation_id as "deviceOperationId", case when exists (select from policy_exception x where x.tenant_id = i.tenant_id and x.policy_id = i.policy_id and x.device_id = i.device_id
    and coalesce(x.thing, i.key) = i.key and (x.until is null or x.until > now())) then 'Remove' else on_leave end as "onLeave", state, detail,
  to_char(since at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as since, mended,
  to_char(mended_on at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "mendedOn"
from policy_item i where device_id = $1 order by key`;

export function itemsOfDevice(db: Db, deviceId: string): Promise<StoredItem[]> {
  return db.query<StoredItem>({ name: 'policy-items-of-device', text: itemsText, values: [deviceId] });
}
