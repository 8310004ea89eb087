/** The users of chats that are connected with a person, without `personId` with whoever is signed in, each with a button that ends it. */
import { chatAccounts, disconnectChat } from '@cloudfit/contract/calls.ts';
import type { CallOutput } from '@cloudfit/contract/call.ts';
import { chatAccountTexts as t } from '@cloudfit/contract/messages/chat-accounts.en.ts';
import { call, useCall } from '../../api/call.ts';
import { command } from '../../calls/command.ts';
import { Loaded } from '../../calls/loaded.tsx';
import { IconButton } from '../../components/button.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';

type ChatAccount = CallOutput<typeof chatAccounts>['accounts'][number];

export const accountText = ({ userName, service, workspaceName }: Pick<ChatAccount, 'userName' | 'service' | 'workspaceName'>): string =>
  t.account(userName, service, workspaceName);

const disconnect = command(({ chatAccountId: id }: ChatAccount) => call(disconnectChat, { id }, { quiet: true }), {
  confirm: (account) => ({ title: t.disconnectTitle, text: t.disconnectQuestion(accountText(account)), yes: t.disconnect, danger: true }),
  failed: t.disconnectFailed,
  refreshes: [chatAccounts],
});

interface ChatAccountsProps {
  personId?: string;
  mayEnd?: boolean;
  /** The class of the list, by the screen around it. */
  className: string;
}

export function ChatAccounts({ personId, mayEnd = true, className }: ChatAccountsProps) {
  const { data, error, refetch } = useCall(chatAccounts, personId === undefined ? {} : { personId });
  return (
    <Loaded query={{ data: data?.accounts, error, refetch }} failed={t.failed} empty={<p className="muted">{t.none}</p>}>
      {(accounts) => (
        <ul className={className}>
          {accounts.map((account) => (
            <li key={account.chatAccountId} className="row">
              <span className="grow">
                {accountText(account)}{' '}
                <span className="faint">
                  {account.tenantName}, {t.connected} <RelativeTime value={account.connected} />
                </span>
              </span>
              {mayEnd && (
                <IconButton small icon="close" label={t.disconnectThis(accountText(account))} onClick={() => void disconnect(account)} />
              )}
            </li>
          ))}
        </ul>
      )}
    </Loaded>
  );
}
