/** How a customer ends: begins it, shows each step with what it did, moves its date, stops it, and has the archive. */
import { useMemo } from 'react';
import { beginOffboarding, moveOffboarding, offboardingArchive, stopOffboarding } from '@cloudfit/contract/calls.ts';
import { offboardingSteps, type OffboardingFigures, type OffboardingStep } from '@cloudfit/contract/customers/steps.ts';
import { customerTexts as t } from '@cloudfit/contract/messages/customers.en.ts';
import { and, compare, eq } from '@cloudfit/contract/query/build.ts';
import { f, type Row } from '@cloudfit/contract/resource.ts';
import { offboardings } from '@cloudfit/contract/resources/offboardings.ts';
import { tenants } from '@cloudfit/contract/resources/tenants.ts';
import { call, callFile } from '../../api/call.ts';
import { failureText } from '../../api/client.ts';
import { ActionForm } from '../../calls/action-form.tsx';
import { command, useCommand } from '../../calls/command.ts';
import { useActionForm } from '../../calls/use-action-form.ts';
import { Button } from '../../components/button.tsx';
import { Chip } from '../../components/chips.tsx';
import { countText } from '../../components/count.ts';
import { Field } from '../../components/field.tsx';
import { Icon } from '../../components/icon.tsx';
import { saveBlob } from '../../components/save-file.ts';
import { sizeText } from '../../components/size-text.ts';
import { ErrorState, Skeleton } from '../../components/states.tsx';
import { toast } from '../../components/toasts.tsx';
import { useList } from '../../rows/use-rows.ts';
import { exactTime, inputTime, instantAt } from '../../theme/times.ts';
import type { Tenant } from './toggle-tenant.ts';
import './customers.css';
import { useMayIn } from './use-may-in.ts';

type OffboardingRow = Row<typeof offboardings>;

const refreshes = [offboardings.name, tenants.name];

/** Days until the deletion that the form proposes. */
const proposedDays = 30;

const fieldsFor = (name: string) => ({
  deleteOn: f.timestamp(t.deleteOn, { required: true, initial: new Date(Date.now() + proposedDays * 86_400_000).toISOString() }),
  reason: f.text(t.reason, { required: true, max: 500 }),
  uninstallAgents: f.boolean(t.uninstallAgents, { initial: true, help: t.uninstallAgentsHelp }),
  name: f.text(t.confirmName(name), { required: true }),
});

const layout = { wide: ['reason', 'name'] as const };

function Begin({ tenant }: { tenant: Tenant }) {
  const fields = useMemo(() => fieldsFor(tenant.name), [tenant.name]);
  const { isBusy, ...form } = useActionForm(
    ({ deleteOn, reason, name, uninstallAgents }) =>
      call(beginOffboarding, { id: tenant.tenantId, deleteOn, reason, name, uninstallAgents }, { quiet: true }),
    { draft: `offboarding ${tenant.tenantId}`, fields, layout, refreshes, onDone: () => toast.success(t.begun(tenant.name)) },
  );
  return (
    <>
      <ol className="offboarding-steps">
        {offboardingSteps.map((step) => (
          <li key={step}>
            <strong>{t.stepNames[step]}</strong> <span className="muted">{t.stepTexts[step]}</span>
          </li>
        ))}
      </ol>
      <ActionForm {...form} label={t.offboarding} />
      <p className="offboarding-acts">
        <Button look="danger" type="submit" form={form.state.id} disabled={isBusy}>
          {isBusy ? t.beginning : t.begin}
        </Button>
      </p>
    </>
  );
}

function doneText(step: OffboardingStep, steps: OffboardingFigures): string | undefined {
  const { access, machines, archive, deletion } = steps;
  if (step === 'access') return access && t.accessDone(access.people, access.tokens);
  if (step === 'machines')
    return (
      machines &&
      [
        t.machinesDone(machines.count),
        ...(machines.ordered === undefined ? [] : [t.agentsDone(machines.uninstalled ?? 0, machines.ordered)]),
      ].join(', ')
    );
  if (step === 'archive') return archive && t.archiveDone(countText(archive.rows), countText(archive.files), sizeText(archive.bytes));
  return deletion && t.deletionDone(countText(deletion.rows), countText(deletion.files));
}

/** The steps in their order: what each did, or that it is still to do. */
export function OffboardingSteps({ row }: { row: OffboardingRow }) {
  const next = offboardingSteps.find((step) => !row.steps[step]);
  return (
    <ol className="offboarding-steps">
      {offboardingSteps.map((step) => {
        const done = doneText(step, row.steps);
        const at = row.steps[step]?.at;
        const isNow = step === next && (row.state === 'Running' || row.state === 'Deleting');
        return (
          <li key={step} className={done ? 'done' : undefined}>
            <strong>
              {done && <Icon name="check" />} {t.stepNames[step]}
            </strong>{' '}
            <span className="muted">{done ? `${done}, ${exactTime(at ?? row.created)}` : isNow ? t.running : t.waits}</span>
          </li>
        );
      })}
    </ol>
  );
}

const stop = command(({ offboardingId }: OffboardingRow) => call(stopOffboarding, { id: offboardingId }, { quiet: true }), {
  confirm: ({ customerName }) => ({ title: t.stop, text: t.stopQuestion(customerName), yes: t.stop }),
  done: (_, { customerName }) => t.stopped(customerName),
  refreshes,
});

const download = command(
  async ({ offboardingId, customerName }: OffboardingRow) =>
    saveBlob(`${customerName}.zip`, await (await callFile(offboardingArchive, { id: offboardingId }, { quiet: true })).blob()),
  { failed: t.downloadFailed },
);

/** What nobody but a person at the machines can do. */
function Uninstall({ row }: { row: OffboardingRow }) {
  const { machines } = row.steps;
  if (!machines || machines.names.length === 0) return null;
  const more = machines.count - machines.names.length;
  const waiting = machines.waiting ?? [];
  return (
    <>
      {waiting.length > 0 && (
        <details className="offboarding-machines" open>
          <summary>
            {t.agentsWaiting} ({countText((machines.ordered ?? 0) - (machines.uninstalled ?? 0))})
          </summary>
          <p>{t.agentsWaitingText}</p>
          <p className="muted">{waiting.join(', ')}</p>
        </details>
      )}
      <details className="offboarding-machines">
        <summary>
          {t.uninstall} ({countText(machines.count)})
        </summary>
        <p>{t.uninstallText}</p>
        <pre className="mono">{`curl -fsSL ${location.origin}/agent/install.sh | sudo sh -s -- --uninstall --purge`}</pre>
        <p className="muted">{machines.names.join(', ')}</p>
        {more > 0 && <p className="muted">{t.moreMachines(more)}</p>}
      </details>
    </>
  );
}

function UnderWay({ row }: { row: OffboardingRow }) {
  const isOpen = row.state === 'Running' || row.state === 'Waiting';
  const move = useCommand((deleteOn: string) => call(moveOffboarding, { id: row.offboardingId, deleteOn }, { quiet: true }), {
    // The date is that of a deletion that cannot be taken back.
    confirm: (deleteOn) => ({ title: t.move, text: t.moveQuestion(row.customerName, exactTime(deleteOn)), yes: t.move, danger: true }),
    done: () => t.moved,
    refreshes,
  });
  const moveTo = async (input: HTMLInputElement) => {
    const before = inputTime(row.deleteOn, 'minutes');
    const at = instantAt(input.value);
    if (input.value === before) return;
    // Otherwise the field would show a date that does not hold.
    if (Number.isNaN(at.getTime()) || !(await move.run(at.toISOString()))) input.value = before;
  };
  return (
    <>
      <p>
        <Chip tone={row.state === 'Deleting' ? 'danger' : 'warn'}>{t.states[row.state]}</Chip> {row.reason}
      </p>
      {row.problem && (
        <p className="notice error" role="alert">
          {t.problem} {row.problem}
        </p>
      )}
      <OffboardingSteps row={row} />
      {isOpen && (
        <Field label={t.deleteOn} help={t.deleteOnHelp}>
          {(aria) => (
            <input
              {...aria}
              className="input offboarding-date"
              type="datetime-local"
              defaultValue={inputTime(row.deleteOn, 'minutes')}
              key={row.deleteOn}
              disabled={move.isBusy}
              onBlur={(event) => void moveTo(event.target)}
            />
          )}
        </Field>
      )}
      <p className="offboarding-acts">
        {isOpen && row.steps.archive && (
          <Button icon="download" onClick={() => void download(row)}>
            {t.download}
          </Button>
        )}
        {isOpen && (
          <Button look="danger" onClick={() => void stop(row)}>
            {t.stop}
          </Button>
        )}
      </p>
      <Uninstall row={row} />
    </>
  );
}

/** The tab of a tenant. */
export function OffboardingTab({ tenant }: { tenant: Tenant }) {
  const mayEnd = useMayIn(tenant.tenantId)('Tenants', 'delete');
  const { data, error, refetch } = useList(
    offboardings,
    {
      filter: and(eq(offboardings, 'customerId', tenant.tenantId), compare(offboardings, 'state', 'ne', 'Stopped')),
      orderBy: 'created desc',
      top: 1,
    },
    { enabled: mayEnd, pollMs: 5_000 },
  );
  if (!mayEnd) return <p className="muted">{t.mayNot}</p>;
  if (error) return <ErrorState small title={t.failed} text={failureText(error)} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton width="60%" />;
  const [row] = data.rows;
  return (
    <section className="form-section" aria-label={t.offboarding}>
      <p className="faint">{t.offboardingText}</p>
      {row ? <UnderWay row={row} /> : <Begin tenant={tenant} />}
    </section>
  );
}
