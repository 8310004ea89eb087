/** Who calls, by what earlier work units say of the phone number or the address: their tenant, open units and usual category. */
import { Link } from 'react-router';
import type { RecognizedCaller } from '@cloudfit/contract/actions/work-units/callers.ts';
import { callersBy } from '@cloudfit/contract/calls.ts';
import { intakeTexts as t } from '@cloudfit/contract/messages/intake.en.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { digitsOf, minPhoneDigits } from '@cloudfit/contract/phones.ts';
import { useCall } from '../../api/call.ts';
import { useMay } from '../../api/lookups.ts';
import { Button } from '../../components/button.tsx';
import { SeverityChip } from '../../components/chips.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { unitAddress } from '../../entities/explanations/addresses.ts';
import type { ResourceFormState } from '../../forms/use-resource-form.ts';
import { useDebounced } from '../../hooks/use-debounced.ts';
import type { IntakeDeclaration } from './intake-declaration.ts';
import { categoryOf, type IntakeValues } from './intake-form.ts';

const typingMs = 300;

function CallerLine({ caller, onFill }: { caller: RecognizedCaller; onFill: () => void }) {
  const { name, phone, email, tenant, category, open } = caller;
  const who = name || email || phone;
  return (
    <li>
      <div className="row">
        <span className="grow">
          <b>{who}</b> · {tenant}
          {category && <span className="muted"> · {t.usualCategory(category.name)}</span>}
        </span>
        <Button small aria-label={t.callerFillLabel(who, tenant)} onClick={onFill}>
          {t.callerFill}
        </Button>
      </div>
      {open.length === 0 ? (
        <p className="muted">{t.noOpenUnits}</p>
      ) : (
        <ul aria-label={t.openUnits(who)}>
          {open.map((unit) => (
            <li key={unit.workUnitId} className="row">
              <SeverityChip value={unit.severityId} />
              <Link className="grow ellipsis" to={unitAddress(unit.workUnitId)} target="_blank" title={unit.title}>
                #{unit.publicWorkUnitId} {unit.title}
              </Link>
              <RelativeTime value={unit.created} />
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

export function KnownCaller({ state }: { state: ResourceFormState<IntakeDeclaration> }) {
  const values = state.form.watch() as IntakeValues;
  const phone = useDebounced(String(values.stakeHolderPhoneNumber ?? '').trim(), typingMs);
  const email = useDebounced(String(values.stakeHolderEmailAddress ?? '').trim(), typingMs);
  const mayView = useMay()('WorkUnits', 'view');
  const enabled = mayView && (digitsOf(phone).length >= minPhoneDigits || /.@./.test(email));
  const { data } = useCall(callersBy, { phone, email }, { refreshedBy: workUnits.name, enabled, staleTime: 30_000 });
  const callers = enabled ? (data?.value ?? []) : [];
  const category = categoryOf(values);
  const fill = (caller: RecognizedCaller) => {
    const set = (name: string, value: unknown) => state.fields.setValue(name, value, { shouldDirty: true, shouldValidate: true });
    if (!values.stakeHolderFullName && caller.name) set('stakeHolderFullName', caller.name);
    if (!values.stakeHolderEmailAddress && caller.email) set('stakeHolderEmailAddress', caller.email);
    if (!values.stakeHolderPhoneNumber && caller.phone) set('stakeHolderPhoneNumber', caller.phone);
    // Protocols belong to a tenant.
    if (values.tenantId !== caller.tenantId && values.protocolId) set('protocolId', null);
    set('tenantId', caller.tenantId);
    set('callerCategory', caller.category ? { ...caller.category, tenantId: caller.tenantId } : undefined);
  };
  if (callers.length === 0 && !category) return null;
  return (
    <section className="known-caller" aria-label={t.callerKnown}>
      <h3>{t.callerKnown}</h3>
      <ul>
        {callers.map((caller) => (
          <CallerLine key={caller.tenantId} caller={caller} onFill={() => fill(caller)} />
        ))}
      </ul>
      {category && <p className="muted">{t.callerCategory(category.name)}</p>}
    </section>
  );
}
