import { watcherTexts as t } from '@cloudfit/contract/messages/watchers.en.ts';
import { currentImpersonation } from '../../../api/see-as.ts';
import { Button } from '../../../components/button.tsx';
import { PersonAvatar } from '../../../entities/people/person-avatar.tsx';
import { useWatching } from './use-watching.ts';
import './watchers.css';

const maxShown = 3;

/** The faces of the people who follow the unit, on the button by which the person does so too. */
export function WatchButton({ id }: { id: number }) {
  const { watchers, isWatching, isBusy, isLoaded, toggle } = useWatching(id);
  if (!isLoaded) return null;
  const names = watchers.map(({ name }) => name);
  return (
    <Button
      small
      look="quiet"
      icon="eye"
      className="watch"
      aria-pressed={isWatching}
      disabled={isBusy || currentImpersonation() !== undefined}
      title={names.length > 0 ? t.watchedBy(names) : t.help}
      onClick={toggle}
    >
      {isWatching ? t.watching : t.watch}
      {watchers.slice(0, maxShown).map(({ userName, name }) => (
        <PersonAvatar key={userName} userName={userName} name={name} />
      ))}
      {watchers.length > maxShown && <span className="num">{t.more(watchers.length - maxShown)}</span>}
    </Button>
  );
}
