/** Tags, the heartbeat and the values for rules: what policies set in fields of the device itself. */
import type { PolicyItemKind } from '@cloudfit/contract/policies/kinds.ts';
import { tagsIn, type ItemValue } from '@cloudfit/contract/policies/effective.ts';
import { ruleValuesIn } from '@cloudfit/contract/rule-values.ts';
import { editedTags } from '../campaigns/edit-device.ts';

export interface DeviceFields {
  tags: string | null;
  heartbeatInterval: number;
  ruleValues: string | null;
}

export const isDeviceField = (kind: PolicyItemKind): kind is 'Tag' | 'Heartbeat' | 'RuleValue' =>
  kind === 'Tag' || kind === 'Heartbeat' || kind === 'RuleValue';

interface FieldChange {
  after: Partial<DeviceFields>;
  /** What the device had before; null for nothing. */
  had: unknown;
}

const nameOfLine = (line: string): string => line.split('=')[0]?.trim() ?? '';

/** The text of values for rules with this one, or without it. Other lines stay as they are. */
function withRuleValue(text: string | null, name: string, value: string | null): string | null {
  const lines = (text ?? '').split('\n').filter((line) => line.trim() !== '');
  const line = value === null ? [] : [`${name} = ${value}`];
  const at = lines.findIndex((item) => nameOfLine(item) === name);
  const others = lines.filter((item) => nameOfLine(item) !== name);
  return (at < 0 ? [...others, ...line] : others.toSpliced(at, 0, ...line)).join('\n') || null;
}

/** The changed fields of a device that gets this. */
export function fieldsWith(device: DeviceFields, item: ItemValue): FieldChange {
  switch (item.kind) {
    case 'Tag': {
      const has = tagsIn(device.tags).some((tag) => tag.toLowerCase() === item.of.toLowerCase());
      return { after: { tags: editedTags(device.tags, { addTags: [item.of] }) }, had: has ? true : null };
    }
    case 'Heartbeat':
      return { after: { heartbeatInterval: item.of }, had: device.heartbeatInterval };
    case 'RuleValue': {
      const { name, value } = item.of;
      const had = ruleValuesIn(device.ruleValues ?? '')[name] ?? null;
      return { after: had === value ? {} : { ruleValues: withRuleValue(device.ruleValues, name, value) }, had };
    }
    default:
      return { after: {}, had: null };
  }
}

interface LeavingItem {
  kind: PolicyItemKind;
  value: ItemValue['of'];
  had: unknown;
}

/** The fields of a device that loses these. What somebody has changed since, or had before the policy, stays. */
export function fieldsWithout(device: DeviceFields, gone: readonly LeavingItem[]): Partial<DeviceFields> {
  let fields: Partial<DeviceFields> = {};
  for (const { kind, value, had } of gone) {
    const now = { ...device, ...fields };
    if (kind === 'Tag' && had === null) fields = { ...fields, tags: editedTags(now.tags, { removeTags: [String(value)] }) };
    else if (kind === 'Heartbeat' && now.heartbeatInterval === value && typeof had === 'number')
      fields = { ...fields, heartbeatInterval: had };
    else if (kind === 'RuleValue') {
      const { name, value: set } = value as { name: string; value: string };
      if (ruleValuesIn(now.ruleValues ?? '')[name] === set)
        fields = { ...fields, ruleValues: withRuleValue(now.ruleValues, name, typeof had === 'string' ? had : null) };
    }
  }
  return fields;
}
