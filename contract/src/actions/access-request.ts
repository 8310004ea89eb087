/** The request for an account or its reset, made before signing in (ACC, API-214..219). */
import { z } from 'zod';
import { accessRequestForm, accessRequestSummary, requestDueMs, summaryOf } from '../access-request.ts';
import { defineAction } from '../action.ts';

const loose = z.unknown().optional();
const names = [...Object.keys(accessRequestForm.shape), ...Object.keys(accessRequestSummary.shape)];

/**
 * The fields of the form, or only those of the summary. Two fields detect programs: `opened` is the time when the form was
 * opened, because a person needs at least three seconds to fill it in; `website` is invisible to people and must be empty.
 * Further fields are ignored.
 */
const accessRequestInput = z
  .object({
    ...Object.fromEntries(names.map((name) => [name, loose])),
    opened: z.iso.datetime({ offset: true }).nullish(),
    website: z.string().max(2_000).nullish(),
  })
  .meta({ additionalProperties: true })
  .superRefine((body: Record<string, unknown>, context) => {
    const parsed = (isSummary(body) ? accessRequestSummary : accessRequestForm).safeParse(body);
    for (const issue of parsed.error?.issues ?? []) context.addIssue({ code: 'custom', path: [...issue.path], message: issue.message });
  });

function isSummary(body: Record<string, unknown>): boolean {
  return body['requestType'] === undefined && body['description'] !== undefined;
}

/** Converts the checked body to fields of a work unit. With the form's fields, sent fields of the summary are ignored. */
export function accessRequestOf(body: Record<string, unknown>, now: Date) {
  if (!isSummary(body)) return summaryOf(accessRequestForm.parse(body), now);
  const due = { plannedStartTime: now.toISOString(), plannedFinishTime: new Date(now.getTime() + requestDueMs).toISOString() };
  return { ...accessRequestSummary.parse(body), ...due, severityId: 'Sev3' as const };
}

export const accessRequest = defineAction({
  name: 'accessRequest',
  method: 'POST',
  path: '/v1/accessrequest',
  access: 'anonymous',
  about: 'Asks for an account: opens a work unit in the tenant that runs this installation. 404 unless the form is enabled.',
  input: accessRequestInput,
  output: z.object({ message: z.string() }),
  limit: 'access-request',
});
