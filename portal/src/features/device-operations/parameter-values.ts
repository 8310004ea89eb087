/** The parameters of a device operation in its form: values by name, errors, and the conversion for the request. */
import { parameterSource } from '@cloudfit/contract/enums.ts';
import { operationTexts } from '@cloudfit/contract/messages/device-operations.en.ts';
import type { ParameterDefinition, ParameterValue } from '@cloudfit/contract/packages/parameters.ts';

const t = operationTexts.form;

export type EnteredValue = ParameterValue['Value'];
export type SecuredEntry = Extract<EnteredValue, readonly unknown[]>[number];
export type ParameterDraft = Readonly<Record<string, EnteredValue>>;

export function isParameterDraft(stored: unknown): stored is ParameterDraft {
  return typeof stored === 'object' && stored !== null && !Array.isArray(stored);
}

/** Errors by field: the name of a parameter, or of a part of an entry. */
export type ParameterFaults = Readonly<Record<string, string>>;

export const isSecured = (definition: Pick<ParameterDefinition, 'Source'>): boolean => definition.Source === parameterSource.securedValue;

export const entryField = (name: string, at: number, part: keyof SecuredEntry): string => `${name} ${at} ${part}`;

/** Returns definitions of the parameters that have values, for when the definitions of the operation are not available. */
export function definitionsOf(values: readonly ParameterValue[]): ParameterDefinition[] {
  return values.map(({ Name, Source }) => ({ Name, Source, Description: '', Required: false, DefaultValue: '' }));
}

/** Returns the stored values; for a new device operation, the defaults of the definitions. */
export function startOf(definitions: readonly ParameterDefinition[], values: readonly ParameterValue[] | undefined): ParameterDraft {
  return Object.fromEntries(
    definitions.map((definition) => {
      const stored = values?.find((value) => value.Name === definition.Name)?.Value;
      if (isSecured(definition)) return [definition.Name, Array.isArray(stored) ? stored : []];
      return [definition.Name, stored ?? (values ? '' : definition.DefaultValue)];
    }),
  );
}

const isBlank = (value: EnteredValue | undefined) =>
  value === null || value === undefined || (typeof value === 'string' ? value.trim() === '' : value.length === 0);

export function faultsOf(definitions: readonly ParameterDefinition[], draft: ParameterDraft): ParameterFaults {
  const faults: Record<string, string> = {};
  for (const { Name, Required } of definitions) {
    const value = draft[Name];
    if (Required && isBlank(value)) faults[Name] = t.isRequired(Name);
    if (!Array.isArray(value)) continue;
    for (const [at, entry] of value.entries()) {
      if (entry.PlaceholderKey.trim() === '') faults[entryField(Name, at, 'PlaceholderKey')] = t.placeholderRequired;
      if (entry.LookupKey.trim() === '') faults[entryField(Name, at, 'LookupKey')] = t.lookupKeyRequired;
    }
  }
  return faults;
}

/** The values to send, without empty ones. */
export function toSend(definitions: readonly ParameterDefinition[], draft: ParameterDraft): ParameterValue[] {
  return definitions.flatMap(({ Name, Source }) => {
    const value = draft[Name];
    return value === undefined || isBlank(value) ? [] : [{ Name, Source, Value: value }];
  });
}

export function isSame(one: ParameterDraft, other: ParameterDraft): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
