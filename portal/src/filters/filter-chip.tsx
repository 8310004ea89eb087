import { en } from '@cloudfit/contract/messages/en.ts';
import { gridTexts } from '@cloudfit/contract/messages/grid.en.ts';
import type { Resource } from '@cloudfit/contract/resource.ts';
import { Icon } from '../components/icon.tsx';
import { nearing } from '../components/overlay/floating.tsx';
import { choiceLabel } from '../rows/cells.tsx';
import { useChoices } from '../rows/choices.ts';

function plainText(resource: Resource, name: string, values: readonly string[]): string {
  const field = resource.fields[name];
  if (!field) return values.join(', ');
  if (field.choices) return values.map((value) => choiceLabel(field, field.kind === 'text' ? value : Number(value))).join(', ');
  if (field.kind === 'boolean') return values[0] === 'true' ? en.common.yesValue : en.common.noValue;
  if (field.kind === 'timestamp') return (values[0] ?? '').replace(/^\.\./, '≤ ').replace(/\.\.$/, ' ≥').replace('..', ' – ');
  return values.map((value) => (value === 'null' ? gridTexts.noValue : value)).join(', ');
}

function RefText({ to, values }: { to: string; values: readonly string[] }) {
  const { choices } = useChoices(to, {});
  return values.map((value) => choices.find((choice) => String(choice.value) === value)?.label ?? '…').join(', ');
}

interface ChipProps {
  resource: Resource;
  name: string;
  values: readonly string[];
  onEdit: (anchor: HTMLElement) => void;
  onRemove: () => void;
}

/** A filter that holds: click to change, cross to remove. */
export function FilterChip({ resource, name, values, onEdit, onRemove }: ChipProps) {
  const field = resource.fields[name];
  const label = field?.label ?? name;
  return (
    <span className="filter-chip">
      <button type="button" title={en.grid.editFilter(label)} {...nearing} onClick={(event) => onEdit(event.currentTarget)}>
        <span className="name">{label}</span>
        <span className="value ellipsis">
          {field?.ref ? <RefText to={field.ref} values={values} /> : plainText(resource, name, values)}
        </span>
      </button>
      <button type="button" className="off" aria-label={en.grid.removeFilter(label)} onClick={onRemove}>
        <Icon name="close" />
      </button>
    </span>
  );
}
