/** Revokes a token for good, or takes it over from its owner, after a confirmation (TOK-006). */
import { tokenTexts as t } from '@cloudfit/contract/messages/tokens.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { tokens } from '@cloudfit/contract/resources/tokens.ts';
import { callJson } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';
import { confirm } from '../../components/overlay/confirm.tsx';
import { toast } from '../../components/toasts.tsx';
import { toastFailure } from '../../hooks/toast-failure.ts';
import type { Token } from './token-status.tsx';

export async function revokeToken({ tokenGrantId, name }: Token): Promise<void> {
  const { yes } = await confirm({ title: t.revokeTitle, text: t.revokeQuestion(name), yes: t.revoke, no: en.common.cancel, danger: true });
  if (!yes) return;
  try {
    await callJson(`/v1/tokens/${tokenGrantId}/revoke`, { method: 'PUT' });
    toast.success(t.revokeDone(name));
  } catch (error) {
    console.warn(error);
    toastFailure(error, t.revokeFailed(name));
  }
  await queryClient.invalidateQueries({ queryKey: [tokens.name] });
}

/** Makes the signed-in person the owner of the token, for example before its present owner leaves. */
export async function takeOverToken({ tokenGrantId, name }: Token): Promise<void> {
  const { yes } = await confirm({ title: t.takeOverTitle, text: t.takeOverQuestion(name), yes: t.takeOver, no: en.common.cancel });
  if (!yes) return;
  try {
    await callJson(`/v1/tokens/${tokenGrantId}/takeOver`, { method: 'PUT' });
    toast.success(t.takeOverDone(name));
  } catch (error) {
    console.warn(error);
    toastFailure(error, t.takeOverFailed(name));
  }
  await queryClient.invalidateQueries({ queryKey: [tokens.name] });
}
