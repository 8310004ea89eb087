/** Lets this browser get push messages. The browser asks for its permission after the click. */
import { useState } from 'react';
import { preferenceTexts as t } from '@cloudfit/contract/messages/notification-preferences.en.ts';
import { canPush } from '../../api/push.ts';
import { Button } from '../../components/button.tsx';
import { toast } from '../../components/toasts.tsx';
import { ErrorNotice } from '../../components/states.tsx';
import { toastFailure } from '../../hooks/toast-failure.ts';
import { subscribeHere } from './subscribe-here.ts';

export function ThisBrowser({ pushKey, onAdded }: { pushKey: string; onAdded: () => Promise<unknown> }) {
  const [isRefused, setRefused] = useState(false);
  const [isAsking, setAsking] = useState(false);
  if (!canPush()) return <p className="faint">{t.unsupported}</p>;
  const add = async () => {
    setAsking(true);
    try {
      const answer = await subscribeHere(pushKey);
      setRefused(answer === 'refused');
      if (answer === 'added') {
        toast.success(t.added);
        await onAdded();
      }
    } catch (error) {
      toastFailure(error, t.addFailed);
    } finally {
      setAsking(false);
    }
  };
  return (
    <>
      <Button icon="plus" disabled={isAsking} onClick={() => void add()}>
        {t.here}
      </Button>
      <ErrorNotice text={isRefused && t.refused} />
    </>
  );
}
