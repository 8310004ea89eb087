/** The precedence of an exception, with the devices for which it would hold now. */
import { previewRuleException } from '@cloudfit/contract/calls.ts';
import { ruleExceptionTexts as t } from '@cloudfit/contract/messages/rule-exceptions.en.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { ruleExceptions } from '@cloudfit/contract/resources/rule-exceptions.ts';
import { placeField } from '@cloudfit/contract/rules/exceptions/choose.ts';
import { useCall } from '../../../api/call.ts';
import { failureText } from '../../../api/client.ts';
import { countText } from '../../../components/count.ts';
import type { InputProps } from '../../../forms/form-types.ts';
import { inputs } from '../../../forms/inputs.tsx';
import { useDebounced } from '../../../hooks/use-debounced.ts';

const waitMs = 500;

type EnteredException = Partial<Row<typeof ruleExceptions>>;

/** The draft as the call takes it; undefined while the form does not say for what it is. */
function draftOf(entered: EnteredException, row: Row<typeof ruleExceptions> | undefined) {
  const values: EnteredException = { ...row, ...entered };
  const { ruleId, appliesTo = 'Tenant', tenantId, tenantGroupId, rank } = values;
  const target = values[placeField[appliesTo]];
  if (!ruleId || !target) return undefined;
  const ofGroup = appliesTo === 'Group' || (!tenantId && (appliesTo === 'Tag' || appliesTo === 'Name'));
  return {
    ruleExceptionId: row?.ruleExceptionId ?? null,
    ruleId,
    appliesTo,
    [placeField[appliesTo]]: target,
    tenantId: appliesTo === 'Group' ? null : (tenantId ?? null),
    tenantGroupId: ofGroup ? (tenantGroupId ?? null) : null,
    rank: rank ?? 100,
  };
}

function Preview({ values, row }: { values: EnteredException; row: Row<typeof ruleExceptions> | undefined }) {
  const text = useDebounced(JSON.stringify(draftOf(values, row) ?? null), waitMs);
  const draft = JSON.parse(text) as NonNullable<ReturnType<typeof draftOf>> | null;
  const { data, error } = useCall(previewRuleException, draft ?? { ruleId: '', appliesTo: 'Tenant' }, {
    refreshedBy: ruleExceptions.name,
    enabled: draft !== null,
    meta: { live: false },
  });
  if (!draft) return null;
  const names = data?.first.map(({ name }) => name) ?? [];
  return (
    <p className="muted" role="status">
      {error ? failureText(error) : data ? t.preview(countText(data.devices), names, data.devices - names.length) : t.previewing}
      {data?.yieldsTo.map(({ ruleExceptionId, appliesTo, target, devices }) => (
        <span key={ruleExceptionId}> {t.yieldsTo(countText(devices), `${t.places[appliesTo]}${target === null ? '' : ` ${target}`}`)}</span>
      ))}
    </p>
  );
}

export function RankInput(props: InputProps<typeof ruleExceptions>) {
  const NumberInput = inputs.number;
  return (
    <>
      <NumberInput {...(props as unknown as InputProps)} />
      <Preview values={props.values as EnteredException} row={props.row} />
    </>
  );
}
