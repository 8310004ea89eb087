/** The photo of the signed-in person: chosen, replaced, removed. */
import { useRef, useState, type ChangeEvent } from 'react';
import { changeOwnPhoto, removeOwnPhoto } from '@cloudfit/contract/calls.ts';
import { photoTypes } from '@cloudfit/contract/photos.ts';
import { photoTexts as t } from '@cloudfit/contract/messages/people.en.ts';
import { people } from '@cloudfit/contract/resources/people.ts';
import { call } from '../../api/call.ts';
import { failureText } from '../../api/client.ts';
import { currentUserKey, useCurrentUser, useOwnPhoto } from '../../api/lookups.ts';
import { renewPerson } from '../../api/people-names.ts';
import { refresh } from '../../calls/command.ts';
import { Button } from '../../components/button.tsx';
import { Avatar } from '../../components/chips.tsx';
import { SidePanel } from '../../components/side-panel.tsx';
import { toast } from '../../components/toasts.tsx';
import { ErrorNotice } from '../../components/states.tsx';
import { squarePhoto } from './square-photo.ts';
import './photo-panel.css';

export function PhotoPanel({ onClose }: { onClose: () => void }) {
  const { data: user } = useCurrentUser();
  const photo = useOwnPhoto();
  const input = useRef<HTMLInputElement>(null);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<string>();
  const name = user?.name ?? '';

  const change = async (work: () => Promise<string>) => {
    setBusy(true);
    setError(undefined);
    try {
      toast.success(await work());
      if (user) renewPerson(user.userName);
      await refresh([...currentUserKey, people.name]);
    } catch (failure) {
      setError(failureText(failure));
    } finally {
      setBusy(false);
    }
  };
  const choose = (event: ChangeEvent<HTMLInputElement>) => {
    const file = event.target.files?.[0];
    event.target.value = '';
    if (!file) return;
    void change(async () => {
      const content = await squarePhoto(file).catch(() => {
        throw new Error(t.unreadable);
      });
      await call(changeOwnPhoto, { content }, { quiet: true });
      return t.changed;
    });
  };
  const remove = () =>
    change(async () => {
      await call(removeOwnPhoto, {}, { quiet: true });
      return t.removed;
    });

  return (
    <SidePanel title={t.title} onClose={onClose}>
      <div className="body own-photo">
        <div className="row">
          <Avatar name={name} photo={photo} size="huge" />
          <div>
            <strong>{name}</strong>
            <p className="muted">{user?.userName}</p>
            {user && !user.photo && <p className="faint">{t.none}</p>}
          </div>
        </div>
        <div className="row">
          <input ref={input} type="file" hidden accept={photoTypes.join(',')} aria-label={t.choose} onChange={choose} />
          <Button look="primary" disabled={isBusy || !user} onClick={() => input.current?.click()}>
            {user?.photo ? t.replace : t.choose}
          </Button>
          {user?.photo && (
            <Button disabled={isBusy} onClick={() => void remove()}>
              {t.remove}
            </Button>
          )}
        </div>
        <ErrorNotice text={error} />
        <p className="faint">{t.hint}</p>
      </div>
    </SidePanel>
  );
}
