/** Devices that do not have a policy, or one thing of it: until when, why, and by whom. */
import { useState } from 'react';
import { Link } from 'react-router';
import { en } from '@cloudfit/contract/messages/en.ts';
import { policyTexts } from '@cloudfit/contract/messages/policies.en.ts';
import { policyCareTexts } from '@cloudfit/contract/messages/policy-care.en.ts';
import { thingsOf, type PolicyThing } from '@cloudfit/contract/policies/effective.ts';
import { and, contains, eq } from '@cloudfit/contract/query/build.ts';
import { devices } from '@cloudfit/contract/resources/devices.ts';
import { packages } from '@cloudfit/contract/resources/packages.ts';
import { policyExceptions, policyItems, type policies } from '@cloudfit/contract/resources/policies.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { failureText } from '../../api/client.ts';
import { useMay } from '../../api/lookups.ts';
import { createRow, removeRow } from '../../api/row-calls.ts';
import { useCommand } from '../../calls/command.ts';
import { Button, IconButton } from '../../components/button.tsx';
import { ComboBox, type ComboChoice } from '../../components/combo-box.tsx';
import { Field } from '../../components/field.tsx';
import { Select } from '../../components/fields/select.tsx';
import { TextField } from '../../components/fields/text-field.tsx';
import { Dialog } from '../../components/overlay/floating.tsx';
import { useDebounced } from '../../hooks/use-debounced.ts';
import { PersonName } from '../../rows/person-name.tsx';
import { useList } from '../../rows/use-rows.ts';
import { useScope } from '../../rows/use-scope.ts';
import { nowMs } from '../../theme/now.ts';
import { instantAt, untilText } from '../../theme/times.ts';

const t = policyCareTexts.exceptions;
const max = 1_000;
const offeredMax = 50;
const waitMs = 300;
const reasonMax = 1_000;

/** What people may choose to except, with a text for each. */
function thingChoices(policy: Row<typeof policies>, packageNames: ReadonlyMap<string, string>) {
  const nameOf = (thing: PolicyThing): string => {
    switch (thing.kind) {
      case 'Operation':
      case 'OtherOperation':
        return thing.of.label;
      case 'Package':
        return packageNames.get(thing.of.packageId) ?? '…';
      case 'Tag':
        return thing.of;
      case 'RuleValue':
        return thing.of.name;
      case 'Heartbeat':
        return '';
    }
  };
  return thingsOf(policy).map((thing) => ({ value: thing.key, label: `${policyTexts.kinds[thing.kind]} ${nameOf(thing)}`.trim() }));
}

function ExceptDialog({ policy, onClose }: { policy: Row<typeof policies>; onClose: () => void }) {
  const { tenantId } = useScope();
  const [chosen, setChosen] = useState<ComboChoice | null>(null);
  const [thing, setThing] = useState('');
  const [until, setUntil] = useState('');
  const [reason, setReason] = useState('');
  const [search, setSearch] = useState('');
  const settled = useDebounced(search.trim(), waitMs);
  const members = useList(devices, {
    filter: and(
      `selections/any(s:s/deviceSelectionId eq ${policy.deviceSelectionId})`,
      tenantId ? eq(devices, 'tenantId', tenantId) : undefined,
      settled === '' ? undefined : contains(devices, 'name', settled),
    ),
    orderBy: 'name asc',
    top: offeredMax,
  });
  const offered = useList(packages, { top: max }, { enabled: policy.packages.length > 0 });
  const packageNames = new Map(offered.data?.rows.map(({ packageId, name }) => [packageId, name]));
  const { run, isBusy } = useCommand(
    (deviceId: string) =>
      createRow(policyExceptions, {
        policyId: policy.policyId,
        deviceId,
        thing: thing || null,
        until: until === '' ? null : instantAt(until).toISOString(),
        reason: reason.trim(),
      }),
    { done: () => t.done, refreshes: [policyExceptions.name, policyItems.name] },
  );
  const make = async () => {
    if (chosen && (await run(String(chosen.value)))) onClose();
  };
  return (
    <Dialog
      title={t.of(policy.name)}
      width="sm"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{en.common.cancel}</Button>
          <Button look="primary" disabled={!chosen || reason.trim() === '' || isBusy} onClick={() => void make()}>
            {t.make}
          </Button>
        </>
      }
    >
      <div className="policy-things">
        <p className="muted">{t.text}</p>
        <Field label={t.device} required error={members.error ? failureText(members.error) : undefined}>
          {(aria) => (
            <ComboBox
              choices={(members.data?.rows ?? []).map(({ deviceId, name }) => ({ value: deviceId, label: name }))}
              value={chosen}
              loading={members.isLoading}
              aria={aria}
              onType={setSearch}
              onChange={setChosen}
            />
          )}
        </Field>
        <Field label={t.what}>
          {(aria) => <Select {...aria} none={t.whole} choices={thingChoices(policy, packageNames)} value={thing} onChange={setThing} />}
        </Field>
        <TextField label={t.until} type="datetime-local" help={t.untilHelp} value={until} onChange={setUntil} />
        <TextField label={t.reason} required maxLength={reasonMax} value={reason} onChange={setReason} />
      </div>
    </Dialog>
  );
}

function endText(until: string | null): string {
  if (until === null) return t.endless;
  return Date.parse(until) <= nowMs() ? t.over(untilText(until)) : t.untilTime(untilText(until));
}

export function PolicyExceptions({ policy }: { policy: Row<typeof policies> }) {
  const { tenantId } = useScope();
  const may = useMay();
  const [isAdding, setIsAdding] = useState(false);
  const { data } = useList(policyExceptions, {
    filter: and(eq(policyExceptions, 'policyId', policy.policyId), tenantId ? eq(policyExceptions, 'tenantId', tenantId) : undefined),
    expand: ['device'],
    top: max,
  });
  const { run, isBusy } = useCommand((id: string) => removeRow(policyExceptions, id), {
    done: () => t.removed,
    refreshes: [policyExceptions.name, policyItems.name],
  });
  const sets = new Set(thingsOf(policy).map(({ key }) => key));
  return (
    <section>
      <h3>{t.title}</h3>
      {data?.rows.length === 0 && <p className="faint">{t.none}</p>}
      <ul className="policy-lines">
        {data?.rows.map(({ policyExceptionId, deviceId, tenantId: of, device, thing, label, until, reason, createdBy }) => (
          <li key={policyExceptionId}>
            <div className="grow">
              <Link to={`/${of}/devices/${deviceId}?part=policies`}>{device?.name ?? '…'}</Link>
              {': '}
              {thing === null ? t.whole : label}, {endText(until)}
              <div className="faint">
                {reason}, {t.by('')}
                <PersonName userName={createdBy} />
                {thing !== null && !sets.has(thing) && <div>{t.notSet}</div>}
              </div>
            </div>
            {may(policyExceptions.area, 'delete') && (
              <IconButton
                small
                icon="close"
                label={t.remove(device?.name ?? '')}
                disabled={isBusy}
                onClick={() => void run(policyExceptionId)}
              />
            )}
          </li>
        ))}
      </ul>
      {may(policyExceptions.area, 'create') && (
        <Button small icon="plus" aria-haspopup="dialog" onClick={() => setIsAdding(true)}>
          {t.add}
        </Button>
      )}
      {isAdding && <ExceptDialog policy={policy} onClose={() => setIsAdding(false)} />}
    </section>
  );
}
