import { useState } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { gridTexts as t } from '@cloudfit/contract/messages/grid.en.ts';
import { Button } from '../../../components/button.tsx';
import { copyText } from '../../../components/copy.ts';
import { nearing, Pop } from '../../../components/overlay/floating.tsx';
import { toast } from '../../../components/toasts.tsx';
import type { ListState } from '../../../filters/list-state.ts';
import { queryOfState, sameName, savedViews, type SavedView } from './saved-views.ts';
import { ViewLine } from './view-line.tsx';
import { ViewNameForm } from './view-name-form.tsx';
import './views-menu.css';

/** The saved views of a list: open, save, rename, delete, share a link. */
export function ViewsMenu({ state }: { state: ListState }) {
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const { pathname } = useLocation();
  const navigate = useNavigate();
  const views = savedViews.use();
  const query = queryOfState(state);
  const current = views.find((view) => view.query === query);
  const remove = (savedView: SavedView) => {
    savedViews.set(views.filter((other) => other !== savedView));
    toast.info(t.viewDeleted(savedView.name), { action: { label: t.undo, run: () => savedViews.set([...savedViews.get(), savedView]) } });
  };
  return (
    <>
      <Button
        small
        look="quiet"
        trailing="down"
        {...nearing}
        aria-haspopup="dialog"
        aria-expanded={anchor !== null}
        onClick={(event) => setAnchor(event.currentTarget)}
      >
        {current?.name ?? t.views}
      </Button>
      {anchor && (
        <Pop anchor={anchor} label={t.savedViews} onClose={() => setAnchor(null)}>
          <div className="views-menu">
            <strong>{t.savedViews}</strong>
            {views.length === 0 && <span className="muted">{t.noViews}</span>}
            {views.length > 0 && (
              <ul>
                {views.map((item) => (
                  <ViewLine
                    key={item.name}
                    view={item}
                    isCurrent={item === current}
                    isTaken={(name) => views.some((other) => other !== item && sameName(other.name, name))}
                    onOpen={() => {
                      setAnchor(null);
                      void navigate({ search: item.query });
                    }}
                    onRename={(name) => savedViews.set(views.map((other) => (other === item ? { ...item, name } : other)))}
                    onCopyLink={() => void copyText(`${location.origin}${pathname}?${item.query}`)}
                    onRemove={() => remove(item)}
                  />
                ))}
              </ul>
            )}
            {!current && (
              <ViewNameForm
                isTaken={(name) => views.some((other) => sameName(other.name, name))}
                onSave={(name) => {
                  savedViews.set([...views, { name, query }]);
                  toast.success(t.viewSaved(name));
                }}
              />
            )}
          </div>
        </Pop>
      )}
    </>
  );
}
