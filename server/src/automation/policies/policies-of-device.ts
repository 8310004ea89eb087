/** The policies that hold for a device, and what it has from them. */
import type { PolicyItemKind, PolicyItemState, PolicyLeave } from '@cloudfit/contract/policies/kinds.ts';
import type { ItemValue, PolicyContent } from '@cloudfit/contract/policies/effective.ts';
import type { Db } from '../../db/db.ts';

export interface DevicePolicy extends PolicyContent {
  deviceSelectionId: string;
}

/** The fields of `DevicePolicy` of the policy `p`, without the selection. */
export const policyColumns = `p.policy_id as "policyId", p.name, p.rank, p.operations, p.packages, p.tags,
  p.heartbeat_interval as "heartbeatInterval", p.rule_values as "ruleValues", p.forbids_others as "forbidsOthers", p.on_leave as "onLeave"`;

const policiesText = `select ${policyColumns}, m.device_selection_id as "deviceSelectionId"
from selection_member m join device_policy p on p.device_selection_id = m.device_selection_id and p.enabled and not p.is_deleted
where m.device_id = $1 and rule_is_for(p.tenant_id, p.tenant_group_id, m.tenant_id) order by p.rank, p.policy_id`;

/** The policies of a device, the winning ones first. */
export function policiesOfDevice(db: Db, deviceId: string): Promise<DevicePolicy[]> {
  return db.query<DevicePolicy>({ name: 'policies-of-device', text: policiesText, values: [deviceId] });
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

const itemsText = `select policy_id as "policyId", kind, key, label, value, had, device_operation_id as "deviceOperationId", on_leave as "onLeave", state, detail,
  to_char(since at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as since, mended,
  to_char(mended_on at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "mendedOn"
from policy_item where device_id = $1 order by key`;

export function itemsOfDevice(db: Db, deviceId: string): Promise<StoredItem[]> {
  return db.query<StoredItem>({ name: 'policy-items-of-device', text: itemsText, values: [deviceId] });
}
