/** Asks for what a template of policies needs, and says for which devices and what it makes. */
import { useState } from 'react';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { policyFromTemplate, previewSelection } from '@cloudfit/contract/calls.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { policyTexts } from '@cloudfit/contract/messages/policies.en.ts';
import {
  enteredOrUsual,
  filledValue,
  policyTemplates,
  type PolicyTemplate,
  type TemplateId,
} from '@cloudfit/contract/policies/templates.ts';
import { eq, or } from '@cloudfit/contract/query/build.ts';
import { deviceSelections } from '@cloudfit/contract/resources/device-selections.ts';
import { policies } from '@cloudfit/contract/resources/policies.ts';
import { rules } from '@cloudfit/contract/resources/rules.ts';
import { call, useCall } from '../../api/call.ts';
import { failureText, RequestFailed } from '../../api/client.ts';
import { refresh } from '../../calls/command.ts';
import { Button } from '../../components/button.tsx';
import { countText } from '../../components/count.ts';
import { Field } from '../../components/field.tsx';
import { Select } from '../../components/fields/select.tsx';
import { TextField } from '../../components/fields/text-field.tsx';
import { Dialog } from '../../components/overlay/floating.tsx';
import { useList } from '../../rows/use-rows.ts';
import './policies.css';
import { tellOfRow } from '../../hooks/tell-of-row.ts';

const t = policyTexts.template;
const max = 1_000;

type Entered = Readonly<Record<string, string>>;

const needLabel = (name: string): string => (policyTexts.needs as Readonly<Record<string, string>>)[name] ?? name;

/** The message of each need that the server refuses. */
function faultsOf(error: unknown): Entered {
  if (!(error instanceof RequestFailed)) return {};
  const placed = error.details.flatMap(({ target, message = '' }) =>
    target?.startsWith('values.') ? [[target.slice(7), message] as const] : [],
  );
  return Object.fromEntries(placed);
}

const helpOf = ({ usual, example }: PolicyTemplate['needs'][string]): string =>
  usual === undefined ? t.example(example) : usual === '' ? t.optional : t.usual(usual);

function DevicesNow({ filter, tenantId }: { filter: string; tenantId: string | null }) {
  const { data, error } = useCall(previewSelection, { filter, tenantId }, { refreshedBy: 'devices', meta: { live: false } });
  if (error) return <p className="error">{failureText(error)}</p>;
  if (!data) return <p className="faint">{policyTexts.preview.loading}</p>;
  return <p className="faint">{data.count === 0 ? t.noneNow : t.countNow(countText(data.count))}</p>;
}

/** The checks, each with what opens a unit. */
function MadeChecks({ template, entered }: { template: PolicyTemplate; entered: Entered }) {
  const values = enteredOrUsual(template, entered);
  // What is not entered yet stays visible as what is missing.
  const shown = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value === '' ? `<${needLabel(name)}>` : value]));
  return (
    <section aria-label={t.makes}>
      <h3>{t.makes}</h3>
      <ul className="template-made">
        {template.operations.map(({ label, interval, opens = [] }) => (
          <li key={label}>
            <strong>{filledValue(label, shown)}</strong> <span className="muted">{t.every(interval)}</span>
            {opens.length === 0 ? (
              <div className="faint">{t.opensNone}</div>
            ) : (
              opens.map(({ what, severityId }) => (
                <div key={what} className="muted">
                  {t.opens(policyTexts.opened[what], severityId)}
                </div>
              ))
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

interface TemplateDialogProps {
  template: TemplateId;
  tenantId: string | null;
  onClose: () => void;
}

export function TemplateDialog({ template: id, tenantId, onClose }: TemplateDialogProps) {
  const template = policyTemplates[id];
  const navigate = useNavigate();
  const [entered, setEntered] = useState<Entered>({});
  const [deviceSelectionId, setSelection] = useState('');
  const { data: selections } = useList(deviceSelections, {
    filter: or(tenantId ? eq(deviceSelections, 'tenantId', tenantId) : undefined, eq(deviceSelections, 'tenantId', null)),
    orderBy: 'name asc',
    top: max,
  });
  const make = useMutation({
    mutationFn: () => {
      // An empty field stands for the usual value.
      const values = Object.fromEntries(Object.entries(entered).filter(([, value]) => value.trim() !== ''));
      return call(policyFromTemplate, { template: id, tenantId, values, deviceSelectionId: deviceSelectionId || null }, { creates: true });
    },
    onSuccess: async ({ policyId }) => {
      await refresh([policies.name, deviceSelections.name, rules.name]);
      tellOfRow({ tenantId }, policyTexts.fromTemplateDone);
      onClose();
      await navigate(`?id=${policyId}`);
    },
  });
  const faults = faultsOf(make.error);
  return (
    <Dialog
      title={t.title(policyTexts.templates[id])}
      width="sm"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{en.common.cancel}</Button>
          <Button look="primary" disabled={make.isPending} onClick={() => make.mutate()}>
            {t.make}
          </Button>
        </>
      }
    >
      <form
        className="policy-things"
        onSubmit={(event) => {
          event.preventDefault();
          make.mutate();
        }}
      >
        <p className="muted">{t.text}</p>
        {Object.entries(template.needs).map(([name, need]) => (
          <TextField
            key={name}
            label={needLabel(name)}
            required={need.usual === undefined}
            help={helpOf(need)}
            error={faults[name]}
            placeholder={need.usual || need.example}
            value={entered[name] ?? ''}
            maxLength={max}
            onChange={(value) => setEntered({ ...entered, [name]: value })}
          />
        ))}
        <Field label={t.for}>
          {(aria) => (
            <Select
              {...aria}
              none={t.newSelection(t.selects[id])}
              choices={(selections?.rows ?? []).map((row) => ({ value: row.deviceSelectionId, label: row.name }))}
              value={deviceSelectionId}
              onChange={setSelection}
            />
          )}
        </Field>
        {deviceSelectionId === '' && <DevicesNow filter={template.filter} tenantId={tenantId} />}
        <MadeChecks template={template} entered={entered} />
        {make.error && Object.keys(faults).length === 0 && (
          <p className="error" role="alert">
            {failureText(make.error)}
          </p>
        )}
        {/* Enter in a field makes the policy, as the button does. */}
        <button type="submit" hidden />
      </form>
    </Dialog>
  );
}
