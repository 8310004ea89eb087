/** What the link shows that CloudFit gives, in a chat, to a user whom it does not recognize: whether that user is who is signed in. */
import { useSearchParams } from 'react-router';
import { chatAccounts, chatLink, connectChat } from '@cloudfit/contract/calls.ts';
import type { CallOutput } from '@cloudfit/contract/call.ts';
import { chatAccountTexts as t } from '@cloudfit/contract/messages/chat-accounts.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { call, useCall } from '../../api/call.ts';
import { useCommand } from '../../calls/command.ts';
import { Loaded } from '../../calls/loaded.tsx';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/overlay/floating.tsx';
import { accountText, ChatAccounts } from '../../entities/chat-accounts/chat-accounts.tsx';

type ChatUser = CallOutput<typeof chatLink>;

const refreshes = [chatAccounts];

function ConnectDialog({ token, onClose }: { token: string; onClose: () => void }) {
  const link = useCall(chatLink, { token }, { staleTime: Infinity, retry: false });
  const { run, isBusy } = useCommand((_user: ChatUser) => call(connectChat, { token }, { quiet: true }), {
    done: (_, user) => t.done(accountText(user)),
    refreshes,
  });
  const connect = async (user: ChatUser) => {
    if (await run(user)) onClose();
  };
  return (
    <Dialog
      title={t.connectTitle}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{en.common.cancel}</Button>
          {link.data && (
            <Button look="primary" disabled={isBusy} onClick={() => link.data && void connect(link.data)}>
              {t.connect}
            </Button>
          )}
        </>
      }
    >
      <Loaded query={link} failed={t.linkFailed}>
        {(user) => (
          <>
            <p>{t.connectText(accountText(user))}</p>
            <p>
              {t.customer}: {user.tenantName}
              <br />
              {t.address}: {user.email ?? t.addressNone}
            </p>
            <p className="faint">{t.connectWarning}</p>
          </>
        )}
      </Loaded>
    </Dialog>
  );
}

export function OwnChatAccounts() {
  const [params, setParams] = useSearchParams();
  const token = params.get('connect');
  const close = () =>
    setParams(
      (now) => {
        now.delete('connect');
        return now;
      },
      { replace: true },
    );
  return (
    <section className="form-section" aria-label={t.title}>
      <h2>{t.title}</h2>
      <p className="faint">{t.intro}</p>
      <ChatAccounts className="feeds" />
      {token && <ConnectDialog token={token} onClose={close} />}
    </section>
  );
}
