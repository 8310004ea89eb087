/** Creates a token for enrolment; shows once the command line that installs the agent with it, and the machines that enrol. */
import { hourMs } from '@cloudfit/contract/durations.ts';
import { useId, useState, type SyntheticEvent } from 'react';
import { addDevicesTexts as t } from '@cloudfit/contract/messages/add-devices.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import type { RowInput } from '@cloudfit/contract/resource.ts';
import { tokens } from '@cloudfit/contract/resources/tokens.ts';
import { failureText, RequestFailed, useFormId } from '../../api/client.ts';
import { useContextNow } from '../../api/context.ts';
import { useMay, useSubscriptions, useTenantSettings } from '../../api/lookups.ts';
import { createRow } from '../../api/row-calls.ts';
import { refresh } from '../../calls/command.ts';
import { Button } from '../../components/button.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { Field } from '../../components/field.tsx';
import { TextField } from '../../components/fields/text-field.tsx';
import { Select, type SelectChoice } from '../../components/fields/select.tsx';
import { SidePanel } from '../../components/side-panel.tsx';
import { ErrorNotice } from '../../components/states.tsx';
import { useChoices } from '../../rows/choices.ts';
import { installLine, isOwnMachineOnly, type InstallSystem } from './install-line.ts';
import { NewMachines, type EnrolmentToken } from './new-machines.tsx';
import './add-devices.css';

const first = {
  subscriptionId: '',
  promoteLocationId: '',
  system: 'linux',
  hours: '1',
  machines: '50',
  promotion: 'wait',
  names: '',
  networks: '',
};
type NewEnrolment = typeof first;

/** For each field of the panel, the field of a token that errors of the server name. */
const targets: Partial<Record<keyof NewEnrolment, string>> = {
  subscriptionId: 'promoteTo',
  promoteLocationId: 'promoteLocationId',
  machines: 'machinesInAll',
  names: 'promoteNames',
  networks: 'promoteNetworks',
};

function bodyOf(draft: NewEnrolment, tenantId: string, subscriptionId: string): RowInput<typeof tokens> {
  const now = new Date();
  return {
    name: t.tokenName(now.toISOString().slice(0, 16).replace('T', ' ')),
    tenantId,
    lifetimeYears: 1,
    expiresOn: new Date(now.getTime() + Number(draft.hours) * hourMs).toISOString(),
    scopes: ['agent'],
    machinesInAll: Number(draft.machines),
    ...(draft.promotion === 'rule'
      ? {
          promoteTo: subscriptionId,
          promoteLocationId: draft.promoteLocationId || null,
          promoteNames: draft.names.trim() || null,
          promoteNetworks: draft.networks.split(/[\s,]+/).filter(Boolean),
        }
      : {}),
  };
}

const choicesIn = (texts: Readonly<Record<string, string>>): SelectChoice[] =>
  Object.entries(texts).map(([value, label]) => ({ value, label }));

export function AddDevicesPanel({ tenantId, onClose }: { tenantId: string; onClose: () => void }) {
  const form = useId();
  const may = useMay();
  const now = useContextNow(tenantId);
  const subscriptions = (useSubscriptions().data ?? []).filter((subscription) => subscription.tenantId === tenantId);
  const { choices: locations } = useChoices('locations', { tenantId });
  const { data: settings } = useTenantSettings(tenantId);
  const [draft, setDraft] = useState(first);
  const [isRunning, setRunning] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const formId = useFormId();
  const [token, setToken] = useState<EnrolmentToken>();
  const subscriptionId = draft.subscriptionId || (now.subscriptionId ?? '');
  const mayRule = may('PendingDevices', 'edit') && may('Devices', 'create');
  const machinesWrong = /^[1-9]\d{0,6}$/.test(draft.machines) ? undefined : t.machinesWrong;

  const errorOf = (name: keyof NewEnrolment) =>
    failure instanceof RequestFailed ? failure.details.find(({ target }) => target === targets[name])?.message : undefined;
  const create = async (event: SyntheticEvent) => {
    event.preventDefault();
    if (isRunning || machinesWrong) return;
    setRunning(true);
    setFailure(undefined);
    try {
      const created = await createRow(tokens, bodyOf(draft, tenantId, subscriptionId), { form: formId, quiet: true });
      setToken(created as EnrolmentToken);
      await refresh([tokens.name]);
    } catch (error) {
      console.warn(error);
      setFailure(error);
    }
    setRunning(false);
  };
  const select = (name: keyof NewEnrolment, label: string, choices: readonly SelectChoice[], value: string = draft[name]) => (
    <Field label={label} error={errorOf(name)}>
      {(aria) => (
        <Select
          {...aria}
          autoFocus={name === 'system'}
          value={value}
          choices={choices}
          onChange={(next) => setDraft({ ...draft, [name]: next })}
        />
      )}
    </Field>
  );
  const input = (
    name: keyof NewEnrolment,
    label: string,
    { error, ...more }: { help?: string; error?: string | undefined; placeholder?: string } = {},
  ) => (
    <TextField
      label={label}
      error={error ?? errorOf(name)}
      {...more}
      value={draft[name]}
      onChange={(next) => setDraft({ ...draft, [name]: next })}
    />
  );
  const system = draft.system as InstallSystem;
  const isBuilt = settings?.agents.some((agent) => agent.url !== null && agent.platform.startsWith(system));
  const line = token && installLine(system, location.origin, token.generatedToken);
  return (
    <SidePanel
      title={t.title}
      onClose={onClose}
      footer={
        token ? (
          <Button onClick={onClose}>{en.common.close}</Button>
        ) : (
          <>
            <Button look="primary" type="submit" form={form} disabled={isRunning}>
              {isRunning ? t.creating : t.create}
            </Button>
            <Button onClick={onClose}>{en.common.cancel}</Button>
          </>
        )
      }
    >
      <form id={form} className="body" noValidate onSubmit={(event) => void create(event)}>
        {isOwnMachineOnly(location.origin) && <p className="notice">{t.ownMachineOnly(location.origin)}</p>}
        {settings && !isBuilt && <p className="notice">{t.notBuilt}</p>}
        {token && line ? (
          <>
            <section className="form-section" aria-label={t.line(system)}>
              <h3>{t.line(system)}</h3>
              <div className="install-line">
                <code>{line}</code>
                <CopyButton text={line} label={t.lineLabel} done={t.copied} autoFocus />
              </div>
              <p className="faint">{t.once}</p>
            </section>
            <NewMachines
              token={token}
              subscription={subscriptions.find((subscription) => subscription.subscriptionId === subscriptionId)}
            />
          </>
        ) : (
          <>
            <p className="faint">{t.text}</p>
            <ErrorNotice text={failure !== undefined && failureText(failure)} />
            <div className="form-grid">
              {select('system', t.system, choicesIn(t.systems))}
              {select('hours', t.lifetime, choicesIn(t.lifetimes))}
              {input('machines', t.machines, { error: machinesWrong })}
              {select('promotion', t.promotion, choicesIn(t.promotions).slice(0, mayRule ? 2 : 1))}
              {select(
                'subscriptionId',
                t.subscription,
                subscriptions.map(({ subscriptionId: value, name: label }) => ({ value, label })),
                subscriptionId,
              )}
              {draft.promotion === 'rule' && (
                <>
                  {select('promoteLocationId', t.location, [
                    { value: '', label: t.noLocation },
                    ...locations.map(({ value, label }) => ({ value: String(value), label })),
                  ])}
                  {input('names', t.names, { help: t.namesHelp, placeholder: 'rack-*' })}
                  {input('networks', t.networks, { help: t.networksHelp, placeholder: '192.0.2.0/24' })}
                </>
              )}
            </div>
          </>
        )}
      </form>
    </SidePanel>
  );
}
