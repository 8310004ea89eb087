import { workUnitType, type WorkUnitState } from '@cloudfit/contract/enums.ts';
import { en } from '@cloudfit/contract/messages/en.ts';

import { GroupInput } from './group-input.tsx';
import { PersonInput } from './person-input.tsx';
import { StateInput } from './state-input.tsx';
import { SourceInput } from './source-input.tsx';
import { TypeInput } from './type-input.tsx';
import { checkPlan } from './work-unit.rules.ts';
import type { FormLayout, FormSection } from '../../resource/form-types.ts';

const s = en.workUnits.sections;
const needed = en.form.required;

const common: readonly FormSection[] = [
  { fields: ['title'] },
  {
    title: s.handling,
    fields: ['stateId', 'assignedTo', 'severityId', 'assignmentGroup', 'tenantId', 'workUnitTypeId', 'effort', 'category'],
  },
  { fields: ['description', 'resolution'] },
];

const change: readonly FormSection[] = [
  {
    title: s.change,
    fields: [
      'plannedStartTime',
      'plannedFinishTime',
      'requestedChangeWindow',
      'implementer',
      'environment',
      'implementationPlan',
      'rollbackPlan',
      'affectedResources',
      'securityConsiderations',
      'userImpact',
      'costImpact',
      'expectedCFSAlerts',
    ],
  },
  { title: s.approval, fields: ['approver1', 'approver2', 'isApproverRequired'] },
];

const rest: readonly FormSection[] = [
  { title: s.stakeholder, fields: ['stakeHolderFullName', 'stakeHolderPhoneNumber', 'stakeHolderEmailAddress', 'source'] },
  { title: s.reference, fields: ['referenceId', 'referenceUrl'] },
];

const shared: Omit<FormLayout, 'sections'> = {
  wide: ['title'],
  inputs: {
    stateId: StateInput,
    assignedTo: PersonInput,
    implementer: PersonInput,
    approver1: PersonInput,
    approver2: PersonInput,
    assignmentGroup: GroupInput,
    source: SourceInput,
    workUnitTypeId: TypeInput,
  },
  requiredTexts: { workUnitTypeId: en.workUnits.chooseType },
  check: checkPlan,
};

const plain: FormLayout = { ...shared, sections: [...common, ...rest] };
const changeRequest: FormLayout = {
  ...shared,
  sections: [...common, ...change, ...rest],
  requiredTexts: {
    workUnitTypeId: en.workUnits.chooseType,
    implementationPlan: needed,
    rollbackPlan: needed,
    affectedResources: needed,
    environment: needed,
    expectedCFSAlerts: needed,
    plannedStartTime: en.form.dateRequired,
    plannedFinishTime: en.form.dateRequired,
    approver1: needed,
    resolution: needed,
  },
};

/** The form follows the type of the unit. */
export function workUnitLayout(type: number | undefined): FormLayout {
  return type === workUnitType.changeRequest ? changeRequest : plain;
}

/** WU-033, WU-034. */
export function blankWorkUnit(type: number, tenantId: string | null): Record<string, unknown> {
  const state: WorkUnitState = 'New';
  return { stateId: state, severityId: 'Sev0', workUnitTypeId: type, tenantId: tenantId ?? '' };
}
