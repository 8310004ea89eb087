/** The left operands of conditions, with their rule types and operators. */
import { blockTypes, deviceTypes, operatingSystems, ruleTypes, severities, sources, workUnitStates } from '../enums.ts';
import { inLanguage, type Choice } from '../resource.ts';
import type { BaselineSide } from './baselines/baseline.ts';
import { silenceMs, type Fact, type RuleEvent, type StatePlace } from './facts.ts';
import { activeMatch, distinctEntities, matchCount, type ReadMatches } from './matches.ts';
import { isOfTwoReadings } from './reading-measures.ts';
import type { RuleWords } from './rule-words.ts';
import type { RightReading } from './schema.ts';
import type { Measure } from './evaluate/window.ts';

/** The control that a person enters the right side with. */
export type OperandInput = 'text' | 'number' | 'select' | 'lookup';

/** The part of a packet's message that contains the reading. */
export type ReadingSource = 'Value' | 'Properties' | 'Metrics' | 'States' | 'Diagnostics';

export interface Operand {
  id: number;
  name: string;
  input: OperandInput;
  /** Whether the condition needs a field name, as `Metric` needs `Cpu`. */
  needsFieldName: boolean;
  /** Ids of the operators that are useful with the operand. */
  operators: readonly number[];
  /** Ids of the rule types that offer the operand. */
  ruleTypes: readonly number[];
  choices?: readonly Choice[];
  /** The resource whose id the right side is, for the input `lookup`. */
  lookup?: string;
  /**
   * Whether the operand is a property of the entity, so that a condition on it selects the entities of the condition's group.
   */
  selects?: true;
  /**
   * The part of the message with the operand's reading. Packets without the reading concern only `IsEmpty` and `IsNotEmpty`.
   */
  reading?: ReadingSource;
  /** Reads the value; absent when the value depends on settings of the condition, such as its window or right side. */
  read?: (event: RuleEvent, field: string) => Fact;
  /** What is measured over the packets of a window; the field names the metric. */
  measure?: Measure;
  /** Whether the operand may also be the right side of a condition. */
  isRight?: true;
  /** For operands that count standard deviations from a baseline: the side that counts. */
  baseline?: BaselineSide;
  /** For operands about matches of other rules. */
  readMatches?: ReadMatches;
  /** For operands that name a set: whether the entity is in the set whose id, in lower case, is the right side. */
  isIn?: (event: RuleEvent, id: string) => boolean;
  /** For operands about the state of another rule, whose id is the right side: the place at which that rule must match. */
  place?: StatePlace;
}

const forText = [1, 2, 5, 11, 9, 10, 8, 12, 13, 14] as const;
const forNumber = [1, 2, 3, 6, 4, 7, 13, 14] as const;
/** Ids of the operators whose right side can be a reading. */
export const comparing: readonly number[] = [1, 2, 3, 6, 4, 7];
const forLimit = [3, 6, 4, 7] as const;
const forChoice = [1, 2, 13, 14] as const;
const forState = [1, 2] as const;
const forAny = [1, 2, 3, 6, 4, 7, 5, 11, 9, 10, 8, 12, 13, 14] as const;

const allTypes = ruleTypes.map((type) => type.value);
const onEntity = [1, 2, 3, 5, 6] as const;
const onPacket = [1, 3] as const;
const inWindow = [3, 6] as const;
const ofEntity = [3] as const;
const onMatches = [2, 6] as const;

const entityKinds = [
  { value: 'device', label: 'Device' },
  { value: 'operation', label: 'Device operation' },
  { value: 'block', label: 'Block' },
] as const;

type SelectorExtra = Pick<Operand, 'read' | 'choices' | 'lookup'> & Partial<Pick<Operand, 'needsFieldName' | 'isRight'>>;

function selector(id: number, name: string, types: readonly number[], extra: SelectorExtra): Operand {
  const input = extra.lookup ? 'lookup' : extra.choices ? 'select' : 'text';
  return {
    id,
    name,
    input,
    needsFieldName: false,
    operators: input === 'text' ? forText : forChoice,
    ruleTypes: types,
    selects: true,
    ...extra,
  };
}

/** Returns undefined for objects and functions, which field names such as `constructor` would reach. */
function scalar(value: unknown): Fact {
  return typeof value === 'object' || typeof value === 'function' ? (value === null ? null : undefined) : (value as Fact);
}

/** Reads a metric; ignores values that are not numbers. */
export function readMetric(event: RuleEvent, field: string): number | undefined {
  const value: unknown = event.packet.message.Metrics?.[field];
  return typeof value === 'number' ? value : undefined;
}

function secondsSinceLast(event: RuleEvent): Fact {
  if (!event.previous) return undefined;
  return (silenceMs(event) ?? 0) / 1_000;
}

function diagnostic(event: RuleEvent, field: string): Fact {
  const all = event.packet.message.Diagnostics;
  if (typeof all !== 'object' || all === null || !Object.hasOwn(all, field)) return undefined;
  const value = (all as Record<string, unknown>)[field];
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : (value as Fact);
}

function measured(id: number, name: string, types: readonly number[], extra: Partial<Operand> = {}): Operand {
  return { id, name, input: 'number', needsFieldName: false, operators: forNumber, ruleTypes: types, ...extra };
}

/** An operand on the current and the previous reading of a metric. It ignores packets without the metric. */
function ofTwo(id: number, name: string, measure: Measure): Operand {
  return measured(id, name, onPacket, { operators: comparing, needsFieldName: true, reading: 'Metrics', measure });
}

/** An operand on how many standard deviations a reading is away from the readings at the same hour of past weeks. */
function fromBaseline(id: number, name: string, baseline: BaselineSide): Operand {
  return measured(id, name, onPacket, { operators: forLimit, needsFieldName: true, reading: 'Metrics', baseline });
}

/** An operand on another rule: its value is the id of that rule while that rule matches. */
function stateOf(id: number, name: string, place: StatePlace): Operand {
  return { id, name, input: 'lookup', lookup: 'rules', needsFieldName: false, operators: forState, ruleTypes: onPacket, place };
}

function deviceValue(event: RuleEvent, field: string): Fact {
  const values = event.entity.device?.values;
  return values && Object.hasOwn(values, field) ? values[field] : undefined;
}

/** Label, field of the work unit, and form. Append only: the operand's id is 100 plus the index in this list. */
const ofWorkUnit: readonly [string, string, Pick<Operand, 'choices' | 'lookup'> | 'text' | 'number'][] = [
  ['Title', 'title', 'text'],
  ['Description', 'description', 'text'],
  ['Resolution', 'resolution', 'text'],
  ['Severity', 'severityId', { choices: severities.map((value) => ({ value, label: value })) }],
  ['State', 'stateId', { choices: workUnitStates.map((value) => ({ value, label: value })) }],
  ['Assigned To', 'assignedTo', 'text'],
  ['Assignment Group', 'assignmentGroup', 'text'],
  ['Source', 'source', { choices: sources.map((value) => ({ value, label: value })) }],
  ['Work Unit Type', 'workUnitTypeId', { lookup: 'workUnitTypes' }],
  ['Category', 'workUnitCategoryId', { lookup: 'workUnitCategories' }],
  ['Subcategory', 'workUnitSubcategoryId', { lookup: 'workUnitSubcategories' }],
  ['Protocol', 'protocolId', { lookup: 'protocols' }],
  ['Effort', 'effort', 'number'],
  ['Reference ID', 'referenceId', 'text'],
  ['Reference URL', 'referenceUrl', 'text'],
  ['Stakeholder Name', 'stakeHolderFullName', 'text'],
  ['Stakeholder Phone', 'stakeHolderPhoneNumber', 'text'],
  ['Stakeholder Email', 'stakeHolderEmailAddress', 'text'],
  ['Satisfaction', 'stakeHolderExperienceScore', { choices: ['Great', 'Average', 'Poor'].map((value) => ({ value, label: value })) }],
  [
    'Spam call',
    'isSpamCall',
    {
      choices: [
        { value: 'true', label: 'Yes' },
        { value: 'false', label: 'No' },
      ],
    },
  ],
  ['Environment', 'environment', 'text'],
  ['Implementer', 'implementer', 'text'],
  ['Approver 1', 'approver1', 'text'],
  ['Approver 2', 'approver2', 'text'],
  ['Unanswered Since', 'unansweredSince', 'text'],
];

function workUnitOperand([name, field, form]: (typeof ofWorkUnit)[number], index: number): Operand {
  const input = form === 'text' || form === 'number' ? form : form.lookup ? 'lookup' : 'select';
  const operators = input === 'text' ? forText : input === 'number' ? forNumber : forChoice;
  return {
    id: 100 + index,
    name: `Work Unit ${name.replace(/^Work Unit /, '')}`,
    input,
    needsFieldName: false,
    operators,
    ruleTypes: [4],
    read: (e) => scalar(e.workUnit?.[field]),
    ...(typeof form === 'string' ? {} : form),
  };
}

const declared: readonly Operand[] = [
  selector(10, 'Entity', onEntity, { read: (e) => e.entity.id }),
  selector(11, 'Entity Kind', onEntity, { choices: entityKinds, read: (e) => e.entity.kind }),
  selector(20, 'Tenant', allTypes, { lookup: 'tenants', read: (e) => e.entity.tenantId }),
  selector(21, 'Subscription', onEntity, { lookup: 'subscriptions', read: (e) => e.entity.subscriptionId }),
  selector(30, 'Device', onEntity, { lookup: 'devices', read: (e) => e.entity.device?.id }),
  selector(31, 'Device Name', onEntity, { read: (e) => e.entity.device?.name }),
  selector(32, 'Device Tag', onEntity, { read: (e) => e.entity.device?.tags }),
  selector(33, 'Device Type', onEntity, { choices: deviceTypes, read: (e) => e.entity.device?.deviceTypeId }),
  selector(34, 'Operating System', onEntity, { choices: operatingSystems, read: (e) => e.entity.device?.operatingSystemId }),
  selector(35, 'Location', onEntity, { lookup: 'locations', read: (e) => e.entity.device?.locationId }),
  selector(36, 'Device Value', onEntity, { needsFieldName: true, isRight: true, read: deviceValue }),
  {
    id: 37,
    name: 'Device Selection',
    input: 'lookup',
    lookup: 'deviceSelections',
    needsFieldName: false,
    operators: forState,
    ruleTypes: onEntity,
    selects: true,
    isIn: ({ entity }, id) => entity.device?.selections?.includes(id) ?? false,
  },
  selector(40, 'Operation Name', onEntity, { read: (e) => e.entity.operation?.name }),
  selector(41, 'Operation Label', onEntity, { read: (e) => e.entity.operation?.label }),
  selector(42, 'Operation Package', onEntity, { read: (e) => e.entity.operation?.packageName }),
  selector(50, 'Block', onEntity, { lookup: 'blocks', read: (e) => e.entity.block?.id }),
  selector(51, 'Block Name', onEntity, { read: (e) => e.entity.block?.name }),
  selector(52, 'Block Type', onEntity, { choices: blockTypes, read: (e) => e.entity.block?.blockTypeId }),
  {
    id: 60,
    name: 'Value',
    input: 'text',
    needsFieldName: false,
    operators: forAny,
    ruleTypes: onPacket,
    reading: 'Value',
    isRight: true,
    read: (e) => e.packet.message.Value,
  },
  {
    id: 61,
    name: 'Property',
    input: 'text',
    needsFieldName: true,
    operators: forAny,
    ruleTypes: onPacket,
    reading: 'Properties',
    isRight: true,
    read: (e, field) => scalar(e.packet.message.Properties?.[field]),
  },
  measured(62, 'Metric', onPacket, { needsFieldName: true, reading: 'Metrics', isRight: true, read: readMetric }),
  {
    id: 63,
    name: 'State',
    input: 'text',
    needsFieldName: true,
    operators: forAny,
    ruleTypes: onPacket,
    reading: 'States',
    isRight: true,
    read: (e, field) => scalar(e.packet.message.States?.[field]),
  },
  {
    id: 64,
    name: 'Diagnostic',
    input: 'text',
    needsFieldName: true,
    operators: forAny,
    ruleTypes: onPacket,
    reading: 'Diagnostics',
    read: diagnostic,
  },
  ofTwo(65, 'Change of Metric', 'change'),
  ofTwo(66, 'Rate of Metric per Second', 'perSecond'),
  ofTwo(67, 'Rate of Metric per Minute', 'perMinute'),
  measured(70, 'Seconds Since Last Packet', onPacket, {
    read: secondsSinceLast,
  }),
  measured(71, 'Packet Count', inWindow, { measure: 'count' }),
  measured(72, 'Average of Metric', inWindow, { needsFieldName: true, measure: 'average' }),
  measured(73, 'Minimum of Metric', inWindow, { needsFieldName: true, measure: 'minimum' }),
  measured(74, 'Maximum of Metric', inWindow, { needsFieldName: true, measure: 'maximum' }),
  measured(75, 'Sum of Metric', inWindow, { needsFieldName: true, measure: 'sum' }),
  measured(76, 'Median of Metric', ofEntity, { needsFieldName: true, measure: 'p50' }),
  measured(77, '90th Percentile of Metric', ofEntity, { needsFieldName: true, measure: 'p90' }),
  measured(78, '95th Percentile of Metric', ofEntity, { needsFieldName: true, measure: 'p95' }),
  measured(79, '99th Percentile of Metric', ofEntity, { needsFieldName: true, measure: 'p99' }),
  measured(68, 'Forecast of Metric', ofEntity, { needsFieldName: true, measure: 'forecast' }),
  fromBaseline(87, 'Metric Above Baseline', 'above'),
  fromBaseline(88, 'Metric Below Baseline', 'below'),
  fromBaseline(89, 'Metric Away from Baseline', 'away'),
  {
    id: 80,
    name: 'Active Match of Rule',
    input: 'lookup',
    lookup: 'rules',
    needsFieldName: false,
    operators: forChoice,
    ruleTypes: onMatches,
    readMatches: activeMatch,
  },
  measured(81, 'Match Count', onMatches, { readMatches: matchCount }),
  measured(82, 'Distinct Entities', onMatches, { readMatches: distinctEntities }),
  stateOf(83, 'Match of Rule on Same Device', 'device'),
  stateOf(84, 'Match of Rule at Same Location', 'location'),
  stateOf(85, 'Match of Rule in Same Subscription', 'subscription'),
  stateOf(86, 'Match of Rule on Parent Device', 'parent'),
  ...ofWorkUnit.map(workUnitOperand),
];

/** All left operands, of which the specification defines 20. Rules store the ids, whose meaning never changes. */
export const operandTable: readonly Operand[] = declared.map((operand) =>
  operand.choices ? { ...operand, choices: operand.choices.map(inLanguage) } : operand,
);

const byId = new Map(operandTable.map((operand) => [operand.id, operand]));

/** Whether the operand needs a window, whose length the condition sets. */
export function looksBack(operand: Operand | undefined): boolean {
  if (!operand) return false;
  return operand.measure ? !isOfTwoReadings(operand.measure) : operand.readMatches !== undefined && operand.input === 'number';
}

/** Whether the right side may be a reading, or a value of the device. */
export function comparesReadings(operand: Operand | undefined): boolean {
  return (operand?.reading !== undefined && !operand.baseline) || operand?.measure !== undefined;
}

export function operandOf(id: number): Operand | undefined {
  return byId.get(id);
}

/** Describes a right side that is read from the event, such as `0.9 × Metric Total`. */
export function describeRight({ Operand, FieldName, Factor }: RightReading, { label }: Pick<RuleWords, 'label'>): string {
  const operand = operandOf(Operand);
  const name = `${operand ? label(operand.name) : Operand}${operand?.needsFieldName && FieldName ? ` ${FieldName}` : ''}`;
  return typeof Factor === 'number' && Factor !== 1 ? `${Factor} × ${name}` : name;
}

/** Ids of operands by name, for rules that are written in code. */
export const operandId = {
  entity: 10,
  entityKind: 11,
  tenant: 20,
  subscription: 21,
  device: 30,
  deviceName: 31,
  deviceTag: 32,
  location: 35,
  deviceValue: 36,
  deviceSelection: 37,
  operationLabel: 41,
  blockName: 51,
  value: 60,
  property: 61,
  metric: 62,
  state: 63,
  diagnostic: 64,
  secondsSinceLast: 70,
  packetCount: 71,
  averageOfMetric: 72,
  activeMatchOfRule: 80,
  matchCount: 81,
  distinctEntities: 82,
  matchOnDevice: 83,
  matchAtLocation: 84,
  matchInSubscription: 85,
  matchOnParent: 86,
  metricAboveBaseline: 87,
  workUnitTitle: 100,
  workUnitSeverity: 103,
  workUnitState: 104,
} as const;
