/** Actions on a person: enabling, disabling, photo, sign-ins, second factor, and showing the portal as the person sees it. */
import { peopleTexts as t, photoTexts } from '@cloudfit/contract/messages/people.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { people } from '@cloudfit/contract/resources/people.ts';
import type { ExpandedRow } from '@cloudfit/contract/resources/expanded.ts';
import { callJson } from '../../api/client.ts';
import { beginSight, type Sight } from '../../api/see-as.ts';
import { queryClient } from '../../api/query-client.ts';
import { confirm } from '../../components/overlay/confirm.tsx';
import { toast } from '../../components/toasts.tsx';
import { toastFailure } from '../../hooks/toast-failure.ts';

export type Person = ExpandedRow<typeof people, 'grants'>;

export const sessionsKey = (personId: string) => [people.name, personId, 'sessions'] as const;

async function change(failed: string, work: () => Promise<string>): Promise<void> {
  try {
    toast.success(await work());
  } catch (error) {
    toastFailure(error, failed);
  }
  await queryClient.invalidateQueries({ queryKey: [people.name] });
}

export async function setEnabled({ personId, name }: Person, enabled: boolean): Promise<void> {
  if (!enabled) {
    const { yes } = await confirm({
      title: t.disableTitle,
      text: t.disableQuestion(name),
      yes: t.disable,
      no: en.common.cancel,
      danger: true,
    });
    if (!yes) return;
  }
  await change(t.changeFailed(name), async () => {
    await callJson(`/v1/${people.name}/${personId}`, { method: 'POST', body: { enabled }, quiet: true });
    return enabled ? t.enabled(name) : t.disabled(name);
  });
}

/** Shows the portal, in this tab, as the person sees it. */
export async function seeAs({ personId }: Person): Promise<void> {
  try {
    beginSight(await callJson<Sight>(`/v1/people/${personId}/seeAs`, { method: 'POST', body: {}, quiet: true }));
  } catch (error) {
    toastFailure(error);
  }
}

/** Ends one session; without an argument all sessions, after a confirmation. */
export async function endSessions({ personId, name }: Person, sessionId?: string): Promise<void> {
  const s = t.sessions;
  if (sessionId === undefined) {
    const { yes } = await confirm({
      title: s.endAllTitle,
      text: s.endAllQuestion(name),
      yes: s.endAll,
      no: en.common.cancel,
      danger: true,
    });
    if (!yes) return;
  }
  await change(s.endFailed, async () => {
    const body = sessionId === undefined ? {} : { sessionId };
    const { ended } = await callJson<{ ended: number }>(`/v1/people/${personId}/sessions/end`, { method: 'PUT', body, quiet: true });
    return s.ended(ended);
  });
}

export async function removePhoto({ personId, name }: Person): Promise<void> {
  const s = photoTexts;
  const { yes } = await confirm({
    title: s.ofPerson.removeTitle,
    text: s.ofPerson.removeQuestion(name),
    yes: s.remove,
    no: en.common.cancel,
    danger: true,
  });
  if (!yes) return;
  await change(s.removeFailed, async () => {
    await callJson(`/v1/people/${personId}/photo`, { method: 'DELETE', quiet: true });
    return s.ofPerson.removed(name);
  });
}

export async function removeSecondFactor({ personId, name }: Person): Promise<void> {
  const s = t.secondFactor;
  const { yes } = await confirm({ title: s.removeTitle, text: s.removeQuestion(name), yes: s.remove, no: en.common.cancel, danger: true });
  if (!yes) return;
  await change(s.removeFailed, async () => {
    await callJson(`/v1/people/${personId}/secondFactor/remove`, { method: 'PUT', quiet: true });
    return s.removed(name);
  });
}
