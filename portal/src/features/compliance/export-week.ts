/** Saves the server's CSV of the week as a file. */
import { exportControlSets } from '@cloudfit/contract/calls.ts';
import { complianceTexts as t } from '@cloudfit/contract/messages/compliance.en.ts';
import { callFile } from '../../api/call.ts';
import { saveCsv } from '../../components/save-file.ts';
import type { WeekOfTenant } from './use-control-status.ts';
import { dayOf } from './week-picker.tsx';

export async function exportWeek({ tenantId, monday, query: { filter } }: WeekOfTenant): Promise<void> {
  try {
    const input = { startDate: dayOf(monday), tenantId, query: { filter } };
    const answer = await callFile(exportControlSets, input, { accept: 'text/csv', quiet: true });
    saveCsv(t.exportFile(dayOf(monday)), await answer.text());
  } catch (error) {
    // A failed export is only logged (ERR-062).
    console.warn(error);
  }
}
