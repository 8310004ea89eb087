/** Saves the server's CSV of the week as a file. */
import { complianceTexts as t } from '@cloudfit/contract/messages/compliance.en.ts';
import { request } from '../../api/client.ts';
import { queryString } from '@cloudfit/contract/query/query-string.ts';
import { saveCsv } from '../../components/save-file.ts';
import type { WeekOfTenant } from './use-control-status.ts';
import { dayOf } from './week-picker.tsx';

export async function exportWeek({ tenantId, monday, query }: WeekOfTenant): Promise<void> {
  try {
    const answer = await request(`/v1/controlsets/Export()${queryString({ filter: query.filter })}`, {
      method: 'POST',
      body: { startDate: dayOf(monday), tenantId },
      accept: 'text/csv',
      quiet: true,
    });
    saveCsv(t.exportFile(dayOf(monday)), await answer.text());
  } catch (error) {
    // A failed export is only logged (ERR-062).
    console.warn(error);
  }
}
