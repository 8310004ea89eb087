/** The operators of a list: one for each of its filters, and `is` for its quick filters. */
import { openStates } from '@cloudfit/contract/enums.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import type { Field } from '@cloudfit/contract/resource.ts';
import type { Listing } from '../filters/listing.ts';
import { isOneText } from '../filters/list-state.ts';
import { labelOf } from '../rows/row.ts';

type OperatorKind = 'choice' | 'reference' | 'person' | 'time' | 'text' | 'quick';

export interface SearchOperator {
  word: string;
  /** The field; of `is`, empty. */
  name: string;
  kind: OperatorKind;
  field: Field | undefined;
  /** The values of a short list, as they are typed, each with the values of the filter that it stands for. */
  values: Readonly<Record<string, readonly string[]>>;
}

/** Shorter words than the labels of fields. */
const words: Readonly<Record<string, string>> = {
  assignedTo: 'assignee',
  assignmentGroup: 'group',
  workUnitTypeId: 'type',
  stakeHolderFullName: 'caller',
  modified: 'updated',
  clockDue: 'due',
};

const asWord = (label: string): string => label.toLowerCase().replaceAll(/[^\p{L}]+/gu, '-');

function kindOf(field: Field): OperatorKind {
  if (field.choices || field.kind === 'boolean') return 'choice';
  if (field.person) return 'person';
  if (field.ref) return 'reference';
  return field.kind === 'timestamp' ? 'time' : 'text';
}

function valuesOf(name: string, field: Field): Record<string, readonly string[]> {
  if (field.kind === 'boolean') return { [asWord(en.common.yesValue)]: ['true'], [asWord(en.common.noValue)]: ['false'] };
  const choices = Object.fromEntries((field.choices ?? []).map((choice) => [choice.label.toLowerCase(), [String(choice.value)]]));
  return name === 'stateId' ? { open: openStates, ...choices } : choices;
}

export function operatorsOf({ resource, filters = [], quick = [] }: Listing): readonly SearchOperator[] {
  const ofFilters = filters.flatMap((name): SearchOperator[] => {
    const field = resource.fields[name];
    if (!field) return [];
    const word = words[name] ?? asWord(labelOf(resource, name));
    return [{ word, name, field, kind: kindOf(field), values: valuesOf(name, field) }];
  });
  if (quick.length === 0) return ofFilters;
  const values = Object.fromEntries(quick.map(({ id }) => [id.toLowerCase(), [id]]));
  return [...ofFilters, { word: 'is', name: '', field: undefined, kind: 'quick', values }];
}

/** Whether the filter takes one text, which rows contain. */
export const takesOneText = ({ field, kind }: SearchOperator): boolean => kind === 'text' && isOneText(field);
