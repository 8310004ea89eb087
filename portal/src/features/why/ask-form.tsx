/** The question: which device, which rule, when. The address contains all of it. */
import { f, optional } from '@cloudfit/contract/resource.ts';
import { whyTexts as t } from '@cloudfit/contract/messages/why.en.ts';
import { Button } from '../../components/button.tsx';
import { Field } from '../../components/field.tsx';
import { inputTime, instantAt } from '../../theme/times.ts';
import { LookupInput } from '../../forms/lookup-input.tsx';
import { useAddress } from '../../hooks/use-address.ts';

const deviceField = optional(f.ref(t.device, 'devices'));
const ruleField = optional(f.ref(t.rule, 'rules'));

interface AskFormProps {
  tenantId: string;
  entityId: string | undefined;
  /** Name of an entity that is no device. */
  entityName: string | undefined;
  ruleId: string | undefined;
  ruleName: string | undefined;
  at: string | undefined;
}

export function AskForm({ tenantId, entityId, entityName, ruleId, ruleName, at }: AskFormProps) {
  const setAddress = useAddress();
  const set = (name: string, value: unknown) =>
    setAddress(
      (next) => {
        if (typeof value === 'string' && value !== '') next.set(name, value);
        else next.delete(name);
        return undefined;
      },
      { replace: true },
    );
  const shared = { values: { tenantId }, disabled: false, onBlur: () => undefined, setValue: () => undefined };
  return (
    <section className="why-card" aria-label={t.ask}>
      <div className="why-ask">
        <Field label={t.device}>
          {(aria) => (
            <LookupInput
              {...shared}
              field={deviceField}
              name="entity"
              aria={aria}
              value={entityId ?? null}
              knownName={entityName}
              onChange={(value) => set('entity', value)}
            />
          )}
        </Field>
        <Field label={t.rule}>
          {(aria) => (
            <LookupInput
              {...shared}
              field={ruleField}
              name="rule"
              aria={aria}
              value={ruleId ?? null}
              knownName={ruleName}
              onChange={(value) => set('rule', value)}
            />
          )}
        </Field>
        <Field label={t.at}>
          {(aria) => (
            <div className="row">
              <input
                className="input"
                type="datetime-local"
                step={1}
                {...aria}
                value={inputTime(at === undefined ? new Date() : new Date(at))}
                onChange={(event) => {
                  const time = instantAt(event.target.value);
                  if (!Number.isNaN(time.getTime())) set('at', time.toISOString());
                }}
              />
              {at !== undefined && <Button onClick={() => set('at', '')}>{t.now}</Button>}
            </div>
          )}
        </Field>
      </div>
    </section>
  );
}
