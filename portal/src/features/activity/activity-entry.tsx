import { Link } from 'react-router';
import type { LedgerEntry } from '@cloudfit/contract/actions/ledger.ts';
import { replayJob } from '@cloudfit/contract/calls.ts';
import { activityTexts as t } from '@cloudfit/contract/messages/activity.en.ts';
import { actionHistories } from '@cloudfit/contract/resources/action-histories.ts';
import { jobs } from '@cloudfit/contract/resources/outbox.ts';
import { call } from '../../api/call.ts';
import { useMay } from '../../api/lookups.ts';
import { useCommand } from '../../calls/command.ts';
import { Button } from '../../components/button.tsx';
import { Chip, type Tone } from '../../components/chips.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { executionAddress, matchAddress, unitAddress, whyAddress } from '../../entities/explanations/addresses.ts';
import { WhyLink } from '../../entities/explanations/why-link.tsx';
import { ReplayButton } from '../../entities/executions/replay-button.tsx';
import { TryButtons } from '../../entities/executions/try-buttons.tsx';

const tones: Record<LedgerEntry['state'], Tone> = {
  failed: 'danger',
  stuck: 'danger',
  late: 'warn',
  waiting: 'warn',
  held: 'warn',
  suppressed: 'plain',
};

function ReviveButton({ entry, name }: { entry: LedgerEntry; name: string }) {
  const { run, isBusy } = useCommand((id: string) => call(replayJob, { id: Number(id) }), {
    done: () => t.revived(name),
    failed: t.reviveFailed,
    refreshes: [actionHistories.name, jobs.name],
  });
  return (
    <Button small icon="refresh" aria-label={t.reviveOf(name)} disabled={isBusy} onClick={() => void run(entry.id)}>
      {t.reviveJob}
    </Button>
  );
}

/** The buttons of an entry: retry, stop or replay an execution, revive a dead letter, or explain a match or packet. */
function Ways({ entry, name }: { entry: LedgerEntry; name: string }) {
  const may = useMay();
  const { kind, state, actionHistoryId, id, tenantId } = entry;
  if (kind === 'action' && actionHistoryId !== null) {
    if (state === 'waiting')
      return (
        <TryButtons actionHistoryId={actionHistoryId} name={name} nextTry={entry.nextTry} mayEdit={may('ActionDefinitions', 'edit')} />
      );
    return <ReplayButton actionHistoryId={actionHistoryId} name={name} />;
  }
  if (kind === 'job' && entry.isDead && may('Settings', 'edit')) return <ReviveButton entry={entry} name={name} />;
  if (!tenantId) return null;
  if (kind === 'match') return <WhyLink button to={matchAddress(tenantId, id)} of={name} />;
  if (kind === 'packet' && entry.ruleId && entry.subject)
    return <WhyLink button to={whyAddress(tenantId, { ruleId: entry.ruleId, entityId: entry.subject, at: entry.since })} of={name} />;
  return null;
}

function addressOf({ kind, id, tenantId, subject, ruleId }: LedgerEntry): string | undefined {
  if (!tenantId) return undefined;
  if (kind === 'action') return executionAddress(tenantId, id);
  if (kind === 'match') return matchAddress(tenantId, id);
  if (kind === 'packet' && ruleId) return `/${tenantId}/rules?id=${ruleId}&q=disabled`;
  return (kind === 'timer' || kind === 'protocol') && subject ? unitAddress(Number(subject)) : undefined;
}

export function ActivityEntry({ entry }: { entry: LedgerEntry }) {
  const { state, kind, cause, title, subjectName, since } = entry;
  const to = addressOf(entry);
  const name = (kind === 'job' && title ? t.jobs[title] : undefined) ?? title ?? t.deleted;
  return (
    <li className="activity-entry">
      <Chip tone={tones[state]} dot>
        {t.states[state]}
      </Chip>
      <span className="activity-what">
        <span className="activity-name">
          {to ? <Link to={to}>{name}</Link> : <b>{name}</b>} {subjectName && <span>{t.of(subjectName)}</span>}
        </span>
        <span className="muted">{t.reasons[cause] ?? cause}</span>
      </span>
      <span className="muted activity-kind">{t.kinds[kind]}</span>
      <span className="num muted activity-age">
        <RelativeTime value={since} />
      </span>
      <span className="activity-ways">
        <Ways entry={entry} name={name} />
      </span>
    </li>
  );
}
