/** The inputs of a request other than plain text fields. */
import { categoryLookup, subcategoryLookup } from '@cloudfit/contract/calls.ts';
import { resolutionCenterEn } from '@cloudfit/contract/messages/resolution-center.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { useCall } from '../../api/call.ts';
import { Select, type SelectChoice } from '../../components/fields/select.tsx';
import { LookupInput } from '../../forms/lookup-input.tsx';
import type { InputProps } from '../../forms/form-types.ts';
import type { RequestDeclaration } from './request-declaration.ts';

const t = resolutionCenterEn.request;
const staleTime = 5 * 60_000;

interface PickProps extends Pick<InputProps, 'aria' | 'value' | 'onChange' | 'onBlur' | 'disabled'> {
  choices: readonly SelectChoice[];
  none: string;
}

function Pick({ aria, value, onChange, onBlur, disabled, choices, none }: PickProps) {
  return (
    <Select
      {...aria}
      value={typeof value === 'string' ? value : ''}
      disabled={disabled}
      none={none}
      choices={choices}
      onBlur={onBlur}
      onChange={(chosen) => onChange(chosen || null)}
    />
  );
}

/** A change clears the service, because services belong to a tenant. */
export function TenantInput(props: InputProps<RequestDeclaration>) {
  const change = (value: unknown) => {
    props.onChange(value);
    for (const name of ['workUnitCategoryId', 'workUnitSubcategoryId'] as const) props.setValue(name, null);
  };
  // A lookup input takes the props of any resource.
  return <LookupInput {...(props as unknown as InputProps)} onChange={change} />;
}

/** Chooses among the tenant's categories for requests. Staff can read all categories, but choose only among these (RC-031). */
export function ServiceInput(props: InputProps<RequestDeclaration>) {
  const tenantId = props.values.tenantId;
  const { data = [] } = useCall(categoryLookup, {}, { refreshedBy: 'lookup', staleTime });
  const choices = data
    .filter((category) => category.isEnabled && category.isVisibleInResolutionCenter && category.tenantId === tenantId)
    .map((category) => ({ value: category.workUnitCategoryId, label: category.name }));
  const change = (value: unknown) => {
    props.onChange(value);
    props.setValue('workUnitSubcategoryId', null);
  };
  return (
    <Pick
      {...props}
      disabled={props.disabled || !tenantId}
      onChange={change}
      choices={choices}
      none={tenantId ? en.common.none : t.tenantFirst}
    />
  );
}

export function NeedInput(props: InputProps<RequestDeclaration>) {
  const category = props.values.workUnitCategoryId;
  const { data = [] } = useCall(subcategoryLookup, {}, { refreshedBy: 'lookup', staleTime });
  const choices = data
    .filter((row) => row.isEnabled && row.workUnitCategoryId === category)
    .map((subcategory) => ({ value: subcategory.workUnitSubcategoryId, label: subcategory.name }));
  return <Pick {...props} disabled={props.disabled || !category} choices={choices} none={category ? en.common.none : t.serviceFirst} />;
}

/** Share of the maximum length from which the counter warns. */
const nearShare = 0.8;

/** A text with a counter (RC-026). */
export function DescriptionInput({ field, value, onChange, onBlur, aria }: InputProps) {
  const text = String(value ?? '');
  const maxLength = field.max ?? 0;
  const tone = text.length >= maxLength ? 'full' : text.length >= maxLength * nearShare ? 'near' : '';
  return (
    <>
      <textarea
        className="input area description"
        rows={7}
        {...aria}
        value={text}
        maxLength={maxLength}
        onBlur={onBlur}
        onChange={(event) => onChange(event.target.value)}
      />
      <span className={`request-counter num ${tone}`}>{t.counter(text.length, maxLength)}</span>
    </>
  );
}

/** A field for a phone number: a phone shows its number pad, and the browser offers saved numbers. */
export function PhoneInput({ field, value, onChange, onBlur, aria }: InputProps) {
  return (
    <input
      className="input num"
      type="tel"
      autoComplete="tel"
      {...aria}
      value={String(value ?? '')}
      maxLength={field.max}
      onBlur={onBlur}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
