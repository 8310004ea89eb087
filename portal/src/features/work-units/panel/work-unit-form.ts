/** The layout of a work unit's form: the fields of each type, their order, and the required ones. */
import { changeTexts } from '@cloudfit/contract/messages/changes.en.ts';
import { workUnitType, type WorkUnitState } from '@cloudfit/contract/enums.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { workUnitTexts } from '@cloudfit/contract/messages/work-unit.en.ts';
import { workUnitPanelTexts as t } from '@cloudfit/contract/messages/work-unit-panel.en.ts';
import type { FieldName } from '@cloudfit/contract/resource.ts';
import type { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import type { FormValues } from '../../../rows/row.ts';
import type { FormLayout, FormSection } from '../../../forms/form-types.ts';
import { DevicesInput, RulesInput } from '../changes/rows-input.tsx';
import { CategoryInput, SubcategoryInput } from '../inputs/category-input.tsx';
import { GroupInput } from '../inputs/group-input.tsx';
import { UnitPersonInput } from '../inputs/person-input.tsx';
import { SourceInput } from '../inputs/source-input.tsx';
import { StateInput } from '../inputs/state-input.tsx';
import { TenantInput } from '../inputs/tenant-input.tsx';
import { UnitTitleInput } from '../inputs/title-input.tsx';
import { TypeInput } from '../inputs/type-input.tsx';
import { checkPlan } from '../work-unit.rules.ts';

const s = workUnitTexts.sections;
type Section = FormSection<typeof workUnits>;
type FormField = FieldName<typeof workUnits>;

const needed = en.form.required;

const handling: Section = {
  title: s.handling,
  fields: [
    'stateId',
    'holdReason',
    'severityId',
    'assignedTo',
    'assignmentGroup',
    'tenantId',
    'workUnitTypeId',
    'workUnitCategoryId',
    'workUnitSubcategoryId',
    'protocolId',
    'effort',
  ],
};
const words: Section = { fields: ['description', 'resolution'] };
const allWords: Section = { fields: ['title', 'description', 'resolution'] };
const reference: Section = { title: s.reference, fields: ['referenceId', 'referenceUrl'] };
const stakeholder: readonly FormField[] = ['stakeHolderFullName', 'stakeHolderPhoneNumber', 'stakeHolderEmailAddress', 'source'];

const plan: readonly Section[] = [
  {
    title: s.change,
    fields: [
      'plannedStartTime',
      'plannedFinishTime',
      'requestedChangeWindow',
      'environment',
      'implementationPlan',
      'rollbackPlan',
      'affectedDevices',
      'expectedRules',
      'expectsSilence',
      'affectedResources',
      'expectedCFSAlerts',
      'securityConsiderations',
      'userImpact',
      'costImpact',
    ],
  },
  { title: t.sections.people, fields: ['implementer', 'isApproverRequired', 'approver1', 'approver2'] },
];

const planTexts: { readonly [K in FormField]?: string } = {
  implementationPlan: needed,
  rollbackPlan: needed,
  affectedResources: needed,
  environment: needed,
  expectedCFSAlerts: needed,
  plannedStartTime: en.form.dateRequired,
  plannedFinishTime: en.form.dateRequired,
  approver1: needed,
  resolution: needed,
};

function sectionsOf({ type, custom, isSaved }: Shape): readonly Section[] {
  const customSections: readonly Section[] = [{ title: t.sections.custom, fields: custom }];
  if (type === workUnitType.changeRequest)
    return [{ fields: ['title'] }, handling, words, ...plan, ...customSections, { title: s.stakeholder, fields: stakeholder }, reference];
  const isRequest = type === workUnitType.request;
  // The title of a saved unit is in the head of its panel, so its fields begin with what is done with it.
  if (isSaved)
    return [
      handling,
      allWords,
      ...customSections,
      { title: s.stakeholder, fields: isRequest ? [...stakeholder, 'stakeHolderExperienceScore'] : stakeholder },
      reference,
    ];
  if (isRequest)
    return [
      { fields: ['title', 'description'] },
      { title: s.stakeholder, fields: [...stakeholder, 'stakeHolderExperienceScore'] },
      handling,
      { fields: ['resolution'] },
      ...customSections,
      reference,
    ];
  return [{ fields: ['title'] }, handling, words, ...customSections, { title: s.stakeholder, fields: stakeholder }, reference];
}

interface Shape {
  type: number;
  /** Names of the custom fields to show. */
  custom: readonly FormField[];
  /** Fields that this person may not set. */
  without: readonly FormField[];
  needsApprover2: boolean;
  isSaved: boolean;
}

/** The layout depends on the type of the unit, the fields of the tenant, and the person's permissions. */
export function workUnitLayout(shape: Shape): FormLayout<typeof workUnits> {
  const { type, without, needsApprover2, isSaved } = shape;
  const isChange = type === workUnitType.changeRequest;
  return {
    sections: sectionsOf(shape),
    inPlace: isSaved,
    wide: ['title', 'affectedDevices', 'expectedRules'],
    without,
    hides: ({ stateId }) => (stateId === 'OnHold' ? [] : ['holdReason']),
    help: { expectsSilence: changeTexts.silenceHelp, holdReason: t.holdHelp },
    inputs: {
      title: UnitTitleInput,
      stateId: StateInput,
      assignedTo: UnitPersonInput,
      implementer: UnitPersonInput,
      approver1: UnitPersonInput,
      approver2: UnitPersonInput,
      assignmentGroup: GroupInput,
      tenantId: TenantInput,
      source: SourceInput,
      workUnitTypeId: TypeInput,
      workUnitCategoryId: CategoryInput,
      workUnitSubcategoryId: SubcategoryInput,
      affectedDevices: DevicesInput,
      expectedRules: RulesInput,
    },
    requiredTexts: {
      workUnitTypeId: workUnitTexts.chooseType,
      ...(isChange ? planTexts : {}),
      ...(isChange && needsApprover2 ? { approver2: needed } : {}),
    },
    check: checkPlan,
  };
}

/** The initial values of a new work unit (WU-033, WU-034). */
export function blankWorkUnit(type: number, tenantId: string | null): FormValues<typeof workUnits> {
  const state: WorkUnitState = 'New';
  return { stateId: state, severityId: 'Sev0', workUnitTypeId: type, tenantId: tenantId ?? '' };
}
