import { gridTexts as t } from '@cloudfit/contract/messages/grid.en.ts';
import { IconButton } from '../components/button.tsx';
import { Icon } from '../components/icon.tsx';
import { PersonName } from '../rows/person-name.tsx';
import type { SavedView } from './use-saved-views.ts';

interface ViewLineProps {
  view: SavedView;
  isCurrent: boolean;
  onOpen: () => void;
  onChange: () => void;
  onDefault: () => void;
  onCopyLink: () => void;
  onRemove: () => void;
}

/** One saved view with its actions. */
export function ViewLine({ view, isCurrent, onOpen, onChange, onDefault, onCopyLink, onRemove }: ViewLineProps) {
  const { name, isDefault, isMine, mayChange, owner, team } = view;
  return (
    <li>
      <button
        type="button"
        className="open"
        aria-label={t.openView(name)}
        {...(isCurrent ? { 'aria-current': true } : {})}
        onClick={onOpen}
      >
        <span className="ellipsis">{name}</span>
        {isCurrent && <Icon name="check" />}
        {team !== null && <span className="faint ellipsis">{team}</span>}
        {!isMine && team === null && owner !== null && (
          <span className="faint ellipsis">
            <PersonName userName={owner} />
          </span>
        )}
      </button>
      <IconButton
        small
        icon="star"
        className={isDefault ? 'starred' : ''}
        label={t.openFirst(name)}
        aria-pressed={isDefault}
        onClick={onDefault}
      />
      {mayChange && <IconButton small icon="edit" label={t.changeView(name)} onClick={onChange} />}
      <IconButton small icon="link" label={t.linkView(name)} onClick={onCopyLink} />
      {mayChange && <IconButton small icon="trash" label={t.deleteView(name)} onClick={onRemove} />}
    </li>
  );
}
