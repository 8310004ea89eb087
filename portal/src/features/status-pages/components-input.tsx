/** Edits the components of a status page: public names, and what each stands for. */
import { componentKinds, type StatusComponent } from '@cloudfit/contract/resources/status-pages.ts';
import { statusPageTexts as t } from '@cloudfit/contract/messages/status-pages.en.ts';
import { devices } from '@cloudfit/contract/resources/devices.ts';
import { Button, IconButton } from '../../components/button.tsx';
import { Field, type FieldAria } from '../../components/field.tsx';
import { choicesOf, Select } from '../../components/fields/select.tsx';
import { LookupInput } from '../../forms/lookup-input.tsx';
import type { InputProps } from '../../forms/form-types.ts';
import './status-pages.css';

type ComponentKind = StatusComponent['kind'];

const refOf: Record<ComponentKind, string> = {
  Subscription: 'subscriptions',
  Location: 'locations',
  Selection: 'deviceSelections',
  Block: 'blocks',
};
const fieldOf: Record<ComponentKind, string> = {
  Subscription: 'subscriptionId',
  Location: 'locationId',
  Selection: 'deviceSelectionId',
  Block: 'blockId',
};

/** A reference to the rows of this kind of component, for the choices of its control. */
function refField(kind: ComponentKind) {
  return {
    ...devices.fields.subscriptionId,
    nullable: false,
    ref: refOf[kind],
  };
}

export function ComponentsInput({ field, value, onChange, onBlur, disabled, aria: group, values, row, setValue }: InputProps) {
  const components = (value ?? []) as readonly StatusComponent[];
  /** Returns the attributes of a control, marked as invalid if the error below the list is about this control. */
  const marked = (aria: FieldAria, isWrong: boolean): FieldAria =>
    group['aria-invalid'] && isWrong ? { ...aria, 'aria-invalid': true, 'aria-describedby': group['aria-describedby'] ?? '' } : aria;
  const isNameWrong = (name: string, at: number) =>
    name.trim() === '' || components.some((other, place) => place < at && other.name.trim().toLowerCase() === name.trim().toLowerCase());
  const change = (at: number, next: Partial<StatusComponent>) =>
    onChange(components.map((component, place) => (place === at ? { ...component, ...next } : component)));
  return (
    <div className="status-components" id={group.id} role="group" aria-label={field.label} aria-describedby={group['aria-describedby']}>
      <p className="faint">{t.componentsHint}</p>
      <ol>
        {components.map((component, at) => (
          <li key={at}>
            <Field label={t.name}>
              {(aria) => (
                <input
                  className="input"
                  {...marked(aria, isNameWrong(component.name, at))}
                  value={component.name}
                  maxLength={100}
                  readOnly={disabled}
                  onBlur={onBlur}
                  onChange={(event) => change(at, { name: event.target.value })}
                />
              )}
            </Field>
            <Field label={t.kind}>
              {(aria) => (
                <Select
                  {...aria}
                  value={component.kind}
                  disabled={disabled}
                  choices={choicesOf(componentKinds, t.kinds)}
                  onChange={(kind) => change(at, { kind, of: '' })}
                />
              )}
            </Field>
            <Field label={t.of[component.kind]}>
              {(aria) => (
                <LookupInput
                  key={component.kind}
                  field={refField(component.kind)}
                  name={fieldOf[component.kind]}
                  value={component.of}
                  onChange={(of) => change(at, { of: String(of ?? '') })}
                  onBlur={onBlur}
                  disabled={disabled}
                  aria={marked(aria, component.of === '')}
                  values={values}
                  row={row}
                  setValue={setValue}
                />
              )}
            </Field>
            {!disabled && (
              <span className="row">
                <IconButton
                  small
                  icon="sortUp"
                  label={t.up(component.name || t.unnamed)}
                  disabled={at === 0}
                  onClick={() => onChange(components.toSpliced(at, 1).toSpliced(at - 1, 0, component))}
                />
                <IconButton
                  small
                  icon="close"
                  label={t.remove(component.name || t.unnamed)}
                  onClick={() => onChange(components.toSpliced(at, 1))}
                />
              </span>
            )}
          </li>
        ))}
      </ol>
      {!disabled && (
        <Button small icon="plus" onClick={() => onChange([...components, { name: '', kind: 'Subscription', of: '' }])}>
          {t.add}
        </Button>
      )}
    </div>
  );
}
