import { Link, useSearchParams } from 'react-router';
import { doNowTexts as t } from '@cloudfit/contract/messages/do-now.en.ts';
import { usePersonName } from '../../../api/people-names.ts';
import { currentImpersonation } from '../../../api/see-as.ts';
import { Button } from '../../../components/button.tsx';
import { PendingChip, SeverityChip } from '../../../components/chips.tsx';
import { Icon } from '../../../components/icon.tsx';
import { RelativeTime } from '../../../components/relative-time.tsx';
import { CloseCall } from '../../../entities/call-backs/call-backs.tsx';
import { withNames } from '../../../entities/inbox/with-names.ts';
import type { PageCommand } from '../../../hooks/page-commands.ts';
import { usePendingChange } from '../verbs/pending.ts';
import { ReasonChip } from './reason-chip.tsx';
import { ReasonVerb, Steps } from './reason-verbs.tsx';
import { addressOf, keyOf, titleOf, type DoNowEntry } from './use-do-now.ts';

/** The verbs of a unit that have a button here, the first of them; the others have their keys, and are in the palette and in the unit. */
const inRow: readonly string[] = ['acknowledge', 'assignToMe', 'resolve'];

const maxButtons = 2;

interface DoNowRowProps {
  entry: DoNowEntry;
  /** Whether the entries of several tenants are shown. */
  isOfTenants: boolean;
  /** Whether its unit is open beside the list. */
  isOpen: boolean;
  commands: readonly PageCommand[];
}

/** One entry: the unit or communication, why it waits and since when, and what to do about it. */
export function DoNowRow({ entry, isOfTenants, isOpen, commands }: DoNowRowProps) {
  const { unit, reasons, tenantName } = entry;
  const pending = usePendingChange(unit?.workUnitId ?? 0);
  const [here] = useSearchParams();
  const mayChange = currentImpersonation() === undefined;
  const title = titleOf(entry);
  const steps = reasons.filter(({ kind }) => kind === 'Step').map(({ id }) => id);
  const [calling] = reasons.filter(({ kind }) => kind === 'Calling');
  const quoted = reasons.find(({ kind, detail }) => (kind === 'Mentioned' || kind === 'Reply') && detail);
  const nameOf = usePersonName();
  const [first] = reasons;
  const verbs = commands.filter(({ id }) => inRow.includes(id)).slice(0, maxButtons);
  return (
    <li data-entry={keyOf(entry)} aria-current={isOpen || undefined}>
      <div className="do-now-entry">
        {unit ? <SeverityChip value={unit.severityId} /> : <Icon name="communications" />}
        <Link className="do-now-title ellipsis" to={addressOf(entry, here)} title={title}>
          {title}
        </Link>
        <span className="do-now-verbs">
          {pending && <PendingChip>{pending.text}</PendingChip>}
          {mayChange && !pending && (
            <>
              {reasons.map((reason) => (
                <ReasonVerb key={`${reason.kind} ${reason.id}`} entry={entry} reason={reason} />
              ))}
              {verbs.map(({ id, label, key, run }) => (
                <Button key={id} small aria-label={t.verbOf(label, title)} aria-keyshortcuts={key} onClick={run}>
                  {label}
                </Button>
              ))}
            </>
          )}
        </span>
      </div>
      <div className="do-now-why">
        {reasons.map((reason) => (
          <ReasonChip key={`${reason.kind} ${reason.id}`} reason={reason} opened={unit?.created} />
        ))}
        <span className="muted">
          {isOfTenants && `${tenantName} · `}
          {first && <RelativeTime value={first.since} />}
        </span>
      </div>
      {quoted && <p className="do-now-quote muted">{withNames(quoted.detail ?? '', nameOf)}</p>}
      {mayChange && unit && steps.length > 0 && <Steps unit={unit} ids={steps} />}
      {mayChange && calling?.id && (
        <div className="do-now-call">
          <CloseCall callBack={{ callBackId: calling.id, phone: calling.detail }} title={title} />
        </div>
      )}
    </li>
  );
}
