/** The mails of matches that wait for one recipient, as the parts of a summary. */
import { composeEmail } from '../send-email.ts';
import type { QueuedExecution } from '../execution.ts';
import { mailTextsFor } from '../../platform/mail-texts.ts';
import { valuesFor } from '../reader-values.ts';
import { summaryOf, type Summary, type SummaryPart } from './summary.ts';
import { textOf } from './write-messages.ts';

const endedStates: readonly string[] = ['Resolved', 'Closed', 'Canceled'];

/** The severity of the unit, or the one that the rule gives to a unit that is not open yet. */
export const severityOfMail = ({ values, match }: QueuedExecution): string | undefined =>
  textOf(values['Severity']) || (match?.severityId ?? undefined);

/** An all-clear that says no more than that the match of another mail has ended. */
const repeatsEnd = ({ phase, parameters }: QueuedExecution): boolean =>
  phase === 'expiration' && parameters['Template'] === 'AllClear' && textOf(parameters['Body']) === '';

/** Joins each mail with the all-clears about its match. */
function joined(all: readonly QueuedExecution[]): QueuedExecution[][] {
  const alarms = new Map(all.flatMap((item) => (item.phase === 'match' && item.match ? [[item.match.ruleMatchId, item] as const] : [])));
  const bundles = new Map(all.map((item) => [item, [item]]));
  for (const one of all) {
    const alarm = repeatsEnd(one) ? alarms.get(one.match?.ruleMatchId ?? '') : undefined;
    if (!alarm) continue;
    bundles.get(alarm)?.push(one);
    bundles.delete(one);
  }
  return [...bundles.values()];
}

function partOf(execution: QueuedExecution, isOver: boolean, mayAcknowledge: boolean): SummaryPart {
  const { match, tenant, reader } = execution;
  const texts = mailTextsFor(reader).summary;
  const { values } = execution;
  const shown = valuesFor(reader, values);
  const mail = composeEmail(execution);
  const group = match?.group && match.group.kind !== 'Subject' ? match.group : undefined;
  const goesOn = !isOver && values['MatchState'] !== 'Ended';
  const [count, open] = group ? [group.count, group.open] : [1, goesOn ? 1 : 0];
  const ended = isOver || open === 0 || endedStates.includes(textOf(values['State']));
  const since = textOf(shown['FirstMatch']);
  const lines = [
    ...(ended && values['Closed'] ? [texts.endedAt(textOf(shown['Closed']))] : []),
    ...(group && count > 1 ? [texts.matches(count, open)] : []),
  ];
  const link = textOf(values['AckUrl']);
  const isOffered = mayAcknowledge && link !== '' && values['State'] === 'New' && !mail.text.includes(link);
  const acknowledge = isOffered ? [texts.acknowledge(link)] : [];
  const url = textOf(values['WorkUnitUrl']);
  return {
    title: mail.subject,
    severity: severityOfMail(execution) ?? null,
    rule: match?.ruleName ?? mail.subject,
    customer: tenant.name,
    site: textOf(values['LocationName']) || null,
    isGroup: group !== undefined,
    matches: count,
    open,
    isOver: ended,
    text: [lines.join('\n'), mail.text, ...acknowledge].filter((item) => item !== '').join('\n\n'),
    short: [...lines, ...(since ? [texts.sinceFirst(since)] : []), ...acknowledge, ...(url ? [texts.workUnit(url)] : [])].join('\n'),
  };
}

/** The mail `first` is included even if the others fill the summary. */
export function summaryOfMails(
  first: QueuedExecution,
  all: readonly QueuedExecution[],
  mayAcknowledge: boolean,
): Omit<Summary<unknown>, 'included'> & { included: QueuedExecution[] } {
  const bundles = joined(all);
  /** The matches and groups that have been counted. */
  const counted = new Set<string>();
  const summary = summaryOf(
    bundles,
    (bundle) => {
      const [one] = bundle;
      const part = partOf(
        one ?? first,
        bundle.some(({ phase }) => phase === 'expiration'),
        mayAcknowledge,
      );
      const id = one?.match?.group?.id ?? one?.match?.ruleMatchId ?? one?.messageId ?? '';
      const again = counted.has(id);
      counted.add(id);
      return again ? { ...part, matches: 0, open: 0 } : part;
    },
    { first: bundles.find((bundle) => bundle.includes(first)), texts: mailTextsFor(first.reader).summary },
  );
  return { ...summary, included: summary.included.flat() };
}
