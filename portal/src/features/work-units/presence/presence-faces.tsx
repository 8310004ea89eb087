import { historyTexts as t } from '@cloudfit/contract/messages/work-unit-history.en.ts';
import { Icon } from '../../../components/icon.tsx';
import { PersonAvatar } from '../../../entities/people/person-avatar.tsx';
import { usePresence } from './use-presence.ts';
import './presence.css';

const maxShown = 4;

/** Photos or initials of the people who view or edit the unit now. A pen marks people who edit. */
export function PresenceFaces({ id }: { id: number }) {
  const others = usePresence(id);
  if (others.length === 0) return <span className="presence" role="status" />;
  return (
    <span className="presence" role="status" aria-label={t.presence}>
      {others.slice(0, maxShown).map(({ name, userName, state }) => {
        const words = state === 'editing' ? t.editing(name) : t.looking(name);
        return (
          <span key={userName + name} className={`presence-face ${state}`} title={`${words} (${userName})`}>
            <PersonAvatar userName={userName} name={name} />
            {state === 'editing' && (
              <i className="pen">
                <Icon name="edit" />
              </i>
            )}
            <span className="visually-hidden">{words}</span>
          </span>
        );
      })}
      {others.length > maxShown && (
        <span
          className="muted num"
          title={others
            .slice(maxShown)
            .map((item) => item.name)
            .join(', ')}
        >
          {t.more(others.length - maxShown)}
        </span>
      )}
    </span>
  );
}
