/** Mails the internal report to the tenant's staff, after a confirmation (COMM-014, COMM-036, ERR-041, ERR-042). */
import { sendInternalNotification as byGet } from '@cloudfit/contract/calls.ts';
import { communicationsEn } from '@cloudfit/contract/messages/communications.en.ts';
import { call } from '../../api/call.ts';
import { RequestFailed } from '../../api/client.ts';
import { confirm } from '../../components/overlay/confirm.tsx';
import { toast } from '../../components/toasts.tsx';
import { toastFailure } from '../../hooks/toast-failure.ts';
import type { CommunicationRow } from './communication.rules.ts';

const t = communicationsEn.notify;

type NotifiedCommunication = Pick<CommunicationRow, 'workUnitCommunicationId' | 'publicWorkUnitCommunicationId'>;

export async function sendInternalNotification(communication: Partial<NotifiedCommunication>): Promise<void> {
  const { workUnitCommunicationId: id, publicWorkUnitCommunicationId: number } = communication;
  if (!id || !number) {
    toast.error(t.noId);
    return;
  }
  const { yes } = await confirm({ title: t.title, text: t.question(number), yes: t.yes });
  if (!yes) return;
  try {
    const { message, to, repeated, isKept } = await call(byGet, { wucommId: id });
    if (isKept) toast.warning(message);
    else if (repeated) toast.info(t.already(to));
    else toast.success(t.sent);
  } catch (error) {
    toastFailure(error, t.failed);
    const reason = error instanceof RequestFailed ? error.details[0]?.message : undefined;
    if (reason) toast.warning(reason);
  }
}
