/** The sign-off of a week, which freezes it, and opening the week again. */
import { reopenWeek, signOffWeek } from '@cloudfit/contract/calls.ts';
import { signOffTexts as t } from '@cloudfit/contract/messages/compliance-evidence.en.ts';
import { and, eq } from '@cloudfit/contract/query/build.ts';
import { complianceSignOffs } from '@cloudfit/contract/resources/compliance.ts';
import { call } from '../../api/call.ts';
import { useCommand } from '../../calls/command.ts';
import { useList } from '../../rows/use-rows.ts';

const refreshes = [complianceSignOffs.name];

/** `signed` is undefined while it loads, and null while the week is open. */
export function useSignOff(setId: string, tenantId: string, monday: string) {
  const filter = and(
    eq(complianceSignOffs, 'controlSetId', setId),
    eq(complianceSignOffs, 'tenantId', tenantId),
    eq(complianceSignOffs, 'checkDate', monday),
    eq(complianceSignOffs, 'reopenedOn', null),
  );
  const { data, isPlaceholderData } = useList(complianceSignOffs, { filter, top: 1 }, { enabled: setId !== '' && tenantId !== '' });
  const sign = useCommand((note: string) => call(signOffWeek, { id: setId, tenantId, week: monday, note }, { quiet: true }), {
    done: () => t.done,
    failed: t.failed,
    refreshes,
  });
  const reopen = useCommand((input: { id: string; reason: string }) => call(reopenWeek, input, { quiet: true }), {
    done: () => t.reopened,
    failed: t.reopenFailed,
    refreshes,
  });
  return { signed: isPlaceholderData || !data ? undefined : (data.rows[0] ?? null), sign, reopen };
}

export type SignOff = ReturnType<typeof useSignOff>;
