/** The first steps of a new installation, for its administrators, until all are done or the person has dismissed them. */
import { Link } from 'react-router';
import type { FirstStepKind } from '@cloudfit/contract/actions/first-steps.ts';
import { dismissFirstSteps, firstSteps } from '@cloudfit/contract/calls.ts';
import { home } from '@cloudfit/contract/messages/home.en.ts';
import { call, useCall } from '../../api/call.ts';
import { useMay } from '../../api/lookups.ts';
import { currentImpersonation } from '../../api/see-as.ts';
import { useCommand } from '../../calls/command.ts';
import { Button } from '../../components/button.tsx';
import { Icon } from '../../components/icon.tsx';

const t = home.firstSteps;
const key = 'firstSteps';

function addressOf(kind: FirstStepKind, tenantId: string): string {
  switch (kind) {
    case 'customer':
      return '/tenants?id=new';
    case 'mailServer':
      return `/${tenantId}/installation`;
    case 'machine':
      return `/${tenantId}/pendingdevices?add=new`;
    case 'rule':
      return `/${tenantId}/rules?id=new`;
    case 'colleague':
      return '/people?invite=new';
  }
}

export function FirstSteps({ tenantId }: { tenantId: string }) {
  const enabled = useMay()('Settings', 'edit');
  const { data } = useCall(firstSteps, {}, { refreshedBy: key, enabled, staleTime: 0 });
  const { run, isBusy } = useCommand(() => call(dismissFirstSteps, {}), { failed: t.failed, refreshes: [key] });
  const steps = data?.value ?? [];
  if (steps.length === 0) return null;
  return (
    <section className="card first-steps" aria-label={t.title}>
      <div className="card-head">
        <h3>{t.title}</h3>
        <span className="muted">{t.progress(steps.filter(({ isDone }) => isDone).length, steps.length)}</span>
        <span className="grow" />
        {currentImpersonation() === undefined && (
          <Button small look="quiet" disabled={isBusy} onClick={() => void run(undefined)}>
            {t.dismiss}
          </Button>
        )}
      </div>
      <ol>
        {steps.map(({ kind, isDone }) => {
          const [title, text] = t.steps[kind];
          return (
            <li key={kind} className={isDone ? '' : 'open'}>
              <Icon name={isDone ? 'check' : 'pending'} label={isDone ? t.done : t.open} />
              <div>
                {isDone ? <span className="muted">{title}</span> : <Link to={addressOf(kind, tenantId)}>{title}</Link>}
                {!isDone && <p className="muted">{text}</p>}
              </div>
            </li>
          );
        })}
      </ol>
    </section>
  );
}
