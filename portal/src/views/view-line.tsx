import { useState } from 'react';
import { gridTexts as t } from '@cloudfit/contract/messages/grid.en.ts';
import { IconButton } from '../../../components/button.tsx';
import { Icon } from '../../../components/icon.tsx';
import type { SavedView } from './saved-views.ts';
import { ViewNameForm } from './view-name-form.tsx';

interface ViewLineProps {
  view: SavedView;
  isCurrent: boolean;
  isTaken: (name: string) => boolean;
  onOpen: () => void;
  onRename: (name: string) => void;
  onCopyLink: () => void;
  onRemove: () => void;
}

/** One saved view with its actions. */
export function ViewLine({ view, isCurrent, isTaken, onOpen, onRename, onCopyLink, onRemove }: ViewLineProps) {
  const [isNaming, setNaming] = useState(false);
  const { name } = view;
  if (isNaming)
    return (
      <li>
        <ViewNameForm
          first={name}
          isTaken={isTaken}
          onSave={(next) => {
            onRename(next);
            setNaming(false);
          }}
        />
      </li>
    );
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
      </button>
      <IconButton small icon="edit" label={t.renameView(name)} onClick={() => setNaming(true)} />
      <IconButton small icon="link" label={t.linkView(name)} onClick={onCopyLink} />
      <IconButton small icon="trash" label={t.deleteView(name)} onClick={onRemove} />
    </li>
  );
}
