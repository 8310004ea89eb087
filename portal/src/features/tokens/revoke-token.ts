/** Revokes a token for good, or takes it over from its owner, after a confirmation (TOK-006). */
import { revokeToken as revoke, takeOverToken as takeOver } from '@cloudfit/contract/calls.ts';
import { tokenTexts as t } from '@cloudfit/contract/messages/tokens.en.ts';
import { tokens } from '@cloudfit/contract/resources/tokens.ts';
import { call } from '../../api/call.ts';
import { command } from '../../calls/command.ts';
import type { Token } from './token-status.tsx';

const refreshes = [tokens.name];

export const revokeToken = command(({ tokenGrantId: id }: Token) => call(revoke, { id }), {
  confirm: ({ name }) => ({ title: t.revokeTitle, text: t.revokeQuestion(name), yes: t.revoke, danger: true }),
  done: (_answer, { name }) => t.revokeDone(name),
  failed: ({ name }) => t.revokeFailed(name),
  refreshes,
});

/** Makes the signed-in person the owner of the token, for example before its present owner leaves. */
export const takeOverToken = command(({ tokenGrantId: id }: Token) => call(takeOver, { id }), {
  confirm: ({ name }) => ({ title: t.takeOverTitle, text: t.takeOverQuestion(name), yes: t.takeOver }),
  done: (_answer, { name }) => t.takeOverDone(name),
  failed: ({ name }) => t.takeOverFailed(name),
  refreshes,
});
