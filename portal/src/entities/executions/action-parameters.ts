/** The parameters of an action: which names it takes, which fields edit them, and their values as they are kept. */
import { blockColors, builtInAction, emailTemplates, severities } from '@cloudfit/contract/enums.ts';
import { f, optional, type Field } from '@cloudfit/contract/resource.ts';
import { actionParameterTexts as t } from '@cloudfit/contract/messages/action-parameters.en.ts';

export type ParameterValues = Readonly<Record<string, unknown>>;

export function isParameterValues(stored: unknown): stored is ParameterValues {
  return typeof stored === 'object' && stored !== null && !Array.isArray(stored);
}

/** The names of a comma list, each once. */
export function parameterNames(inputParameters: string | null | undefined): readonly string[] {
  return [...new Set((inputParameters ?? '').split(',').map((name) => name.trim()))].filter(Boolean);
}

/** The values of a JSON object; none where the text is no such thing. */
export function readParameters(text: unknown): ParameterValues {
  try {
    const value: unknown = JSON.parse(String(text ?? '{}'));
    return value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as ParameterValues) : {};
  } catch {
    return {};
  }
}

/** Of these values those that are named and say something (PACT-010). */
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

type BuiltIn = Readonly<Record<string, (event: number | undefined) => Field>>;

/** Templates of the resolution center are for the state that they tell of. */
function templatesFor(event: number | undefined): readonly string[] {
  return emailTemplates.filter(
    (name) => (name !== 'ResolutionCenterCreated' || event === 1) && (name !== 'ResolutionCenterResolved' || event === 4),
  );
}

const builtIns: Readonly<Record<string, BuiltIn>> = {
  [builtInAction.email]: {
    To: () => line('To', t.recipientHelp),
    Body: () => lines('Body'),
    Template: (event) => optional(f.choice('Template', templatesFor(event))),
    IsImportant: () => f.boolean('IsImportant'),
    ExtraParameters: () => lines('ExtraParameters', t.extraHelp),
  },
  [builtInAction.setColor]: { Color: () => optional(f.choice('Color', blockColors)) },
  [builtInAction.createWorkUnit]: {
    TenantId: () => optional(f.ref('TenantId', 'tenants', { help: t.tenantHelp })),
    ProtocolId: () => optional(f.ref('ProtocolId', 'protocols')),
    SeverityId: () => optional(f.choice('SeverityId', severities)),
    Title: () => line('Title', t.titleHelp),
    Description: () => lines('Description'),
  },
};

/** The field that edits a parameter: a line of text, but for those of the built-in actions. `event` is that of a protocol's action. */
export function parameterField(actionDefinitionId: string, name: string, event?: number): Field {
  return builtIns[actionDefinitionId]?.[name]?.(event) ?? line(name);
}
