/** The parameters of an action: their names, the fields that edit them, and their stored values. */
import { blockColors, builtInAction, defaultSeverity, emailTemplates, severities } from '@cloudfit/contract/enums.ts';
import { notifyWhom, type NotifyWhom } from '@cloudfit/contract/protocols/notify.ts';
import { f, optional, type Field } from '@cloudfit/contract/resource.ts';
import { actionParameterTexts as t } from '@cloudfit/contract/messages/action-parameters.en.ts';

export type ParameterValues = Readonly<Record<string, unknown>>;

export function isParameterValues(stored: unknown): stored is ParameterValues {
  return typeof stored === 'object' && stored !== null && !Array.isArray(stored);
}

/** The distinct names of a comma-separated list. */
export function parameterNames(inputParameters: string | null | undefined): readonly string[] {
  return [...new Set((inputParameters ?? '').split(',').map((name) => name.trim()))].filter(Boolean);
}

/** The values of a JSON object; none when the text is no JSON object. */
export function readParameters(text: unknown): ParameterValues {
  try {
    const value: unknown = JSON.parse(String(text ?? '{}'));
    return value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as ParameterValues) : {};
  } catch {
    return {};
  }
}

/** The named values that are not empty (PACT-010). */
export function namedValues(names: readonly string[], values: ParameterValues): ParameterValues {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = values[name];
      return value === undefined || value === null || value === '' ? [] : [[name, value]];
    }),
  );
}

const longest = 100_000;
const line = (name: string, help?: string): Field => optional(f.text(name, { max: longest, input: 'text', ...(help ? { help } : {}) }));
const lines = (name: string, help?: string): Field => optional(f.text(name, { max: longest, ...(help ? { help } : {}) }));

type BuiltInParameters = Readonly<Record<string, (event: number | undefined) => Field>>;

/** The mail templates for an event. Each of the two templates of the resolution center is for a single event. */
function templatesFor(event: number | undefined): readonly string[] {
  return emailTemplates.filter(
    (name) => (name !== 'ResolutionCenterCreated' || event === 1) && (name !== 'ResolutionCenterResolved' || event === 4),
  );
}

const builtIns: Readonly<Record<string, BuiltInParameters>> = {
  [builtInAction.email]: {
    To: () => line('To', t.recipientHelp),
    Body: () => lines('Body'),
    Template: (event) => optional(f.choice('Template', templatesFor(event))),
    IsImportant: () => f.boolean(t.important),
    ExtraParameters: () => lines(t.extra, t.extraHelp),
  },
  [builtInAction.notify]: {
    Whom: () => f.choice('Whom', notifyWhom, { help: t.whomHelp }),
    PersonId: () => optional(f.ref(t.person, 'people')),
    ScheduleId: () => optional(f.ref(t.schedule, 'onCallSchedules', { help: t.scheduleHelp })),
    Group: () => line('Group', t.groupHelp),
    Subject: () => line('Subject', t.subjectHelp),
    Body: () => lines('Body', t.notifyBodyHelp),
  },
  [builtInAction.setColor]: {
    Color: () => optional(f.choice('Color', blockColors)),
    BlockId: () => optional(f.ref(t.block, 'blocks', { help: t.blockHelp })),
  },
  [builtInAction.createWorkUnit]: {
    TenantId: () => optional(f.ref(t.unit.tenant, 'tenants', { help: t.tenantHelp })),
    ProtocolId: () => optional(f.ref(t.unit.protocol, 'protocols')),
    SeverityId: () => optional(f.choice(t.unit.severity, severities, { help: t.severityHelp })),
    Title: () => line('Title', t.titleHelp),
    Description: () => lines('Description', t.descriptionHelp),
    WorkUnitTypeId: () => optional(f.refNumber(t.unit.type, 'workUnitTypes', { help: t.typeHelp })),
    WorkUnitCategoryId: () => optional(f.ref(t.unit.category, 'workUnitCategories')),
    Category: () => line(t.unit.categoryName),
    AssignmentGroup: () => line(t.unit.group),
    AssignedTo: () => line(t.unit.assignedTo, t.assignedHelp),
  },
  [builtInAction.resolveWorkUnit]: {
    Resolution: () => lines('Resolution', t.resolutionHelp),
    EvenIfTaken: () => f.boolean(t.unit.evenIfTaken, { help: t.evenIfTakenHelp }),
  },
  [builtInAction.changeWorkUnit]: {
    SeverityId: () => optional(f.choice(t.unit.lowerTo, severities, { help: t.lowerHelp })),
    AssignedTo: () => line(t.unit.assignedTo, t.assignedHelp),
    AssignmentGroup: () => line(t.unit.group),
    Note: () => lines('Note'),
    EvenIfTaken: () => f.boolean(t.unit.evenIfTaken, { help: t.evenIfTakenChangeHelp }),
  },
  [builtInAction.backToNormal]: {
    Body: () => lines('Body', t.allClearHelp),
    Calls: () => f.boolean(t.callsToo, { help: t.callsHelp }),
  },
};

/** By parameter of Notify: the value of `Whom` with which the parameter names the recipient. */
const namedBy: Readonly<Record<string, NotifyWhom>> = { PersonId: 'Person', ScheduleId: 'Schedule', Group: 'Group' };

/** Whether a parameter is used with the other values: of Notify, only the recipient parameter that fits `Whom`. */
export function isParameterShown(actionDefinitionId: string, name: string, values: ParameterValues): boolean {
  const whom = actionDefinitionId === builtInAction.notify ? namedBy[name] : undefined;
  return whom === undefined || values['Whom'] === whom;
}

/**
 * The field that edits a parameter: a line of text, or a special field for built-in actions. `event` is the event of a
 * protocol's action.
 */
export function parameterField(actionDefinitionId: string, name: string, event?: number): Field {
  return builtIns[actionDefinitionId]?.[name]?.(event) ?? line(name);
}

/** The initial parameters of an action that is added to a rule or protocol. */
export function presetParameters(actionDefinitionId: string): Record<string, string> {
  return actionDefinitionId === builtInAction.createWorkUnit ? { SeverityId: defaultSeverity } : {};
}
