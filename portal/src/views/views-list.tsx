import { useState } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { changeView, chooseDefaultView, removeView, savedViews, saveView } from '@cloudfit/contract/calls.ts';
import { gridTexts as t } from '@cloudfit/contract/messages/grid.en.ts';
import type { ViewScreen } from '@cloudfit/contract/views/screens.ts';
import { call } from '../api/call.ts';
import { useContextNow } from '../api/context.ts';
import { command } from '../calls/command.ts';
import { Button } from '../components/button.tsx';
import { copyText } from '../components/copy.ts';
import { toast } from '../components/toasts.tsx';
import { showColumnsOf, viewParam, type SavedView } from './use-saved-views.ts';
import { ViewForm, type ViewChoices } from './view-form.tsx';
import { ViewLine } from './view-line.tsx';
import './views-menu.css';

/** What of the list a view saves. */
export interface ViewOfList {
  screen: ViewScreen;
  address: string;
  filter: string | null;
  hidden: string[];
}

export interface ViewsListProps {
  views: readonly SavedView[];
  teams: readonly string[];
  current: SavedView | undefined;
  /** The list as it is now. */
  shown: ViewOfList;
  onClose: () => void;
}

const refreshes = [savedViews];
const create = command((input: ViewOfList & ViewChoices & { tenantId: string }) => call(saveView, input), {
  done: (_, { name }) => t.viewSaved(name),
  refreshes,
});
const change = command(
  ({ id, ...values }: { id: string } & Partial<ViewOfList & ViewChoices & { tenantId: string }>) => {
    const { screen: _screen, ...changes } = values;
    return call(changeView, { id, ...changes });
  },
  { refreshes },
);
const makeDefault = command((input: { screen: ViewScreen; savedViewId: string | null }) => call(chooseDefaultView, input), { refreshes });
const removeSaved = command(({ savedViewId: id }: SavedView) => call(removeView, { id }), { refreshes });

async function remove(view: SavedView): Promise<void> {
  if (!(await removeSaved(view))) return;
  const { screen, name, address, filter, hidden, sharing, team, inMenu, tenantId, isMine } = view;
  const again = () =>
    void call(saveView, { screen, name, address, filter, hidden, sharing, team, inMenu, tenantId }).then(() => refreshViews());
  // A view of somebody else would come back as one's own.
  toast.info(t.viewDeleted(name), isMine ? { action: { label: t.undo, run: again } } : {});
}

const refreshViews = () => command(() => Promise.resolve(), { refreshes })(undefined);

/** The saved views of a list: open, save, change, delete, share, open at first, send by link. */
export function ViewsList({ views, teams, current, shown, onClose }: ViewsListProps) {
  const [editedId, setEdited] = useState<string>();
  const [isNew, setNew] = useState(false);
  const { pathname } = useLocation();
  const navigate = useNavigate();
  const { tenantId } = useContextNow();
  const open = (view: SavedView) => {
    onClose();
    showColumnsOf(view);
    void navigate({ search: view.address });
  };
  const isTaken = (name: string, except?: SavedView) =>
    views.some((view) => view !== except && view.isMine && view.name.trim().toLowerCase() === name.trim().toLowerCase());
  return (
    <div className="views-menu">
      <strong>{t.savedViews}</strong>
      {views.length === 0 && <span className="muted">{t.noViews}</span>}
      {views.length > 0 && (
        <ul>
          {views.map((view) =>
            view.savedViewId === editedId ? (
              <li key={view.savedViewId}>
                <ViewForm
                  first={view}
                  teams={teams}
                  isTaken={(name) => isTaken(name, view)}
                  onSave={(choices, isOfList) => {
                    const { screen: _screen, ...ofList } = shown;
                    const isShared = choices.sharing !== view.sharing || choices.team !== view.team;
                    const values = { ...choices, ...(isOfList ? ofList : {}), ...(isShared && tenantId ? { tenantId } : {}) };
                    void change({ id: view.savedViewId, ...values }).then((done) => done && setEdited(undefined));
                  }}
                />
              </li>
            ) : (
              <ViewLine
                key={view.savedViewId}
                view={view}
                isCurrent={view === current}
                onOpen={() => open(view)}
                onChange={() => setEdited(view.savedViewId)}
                onDefault={() => void makeDefault({ screen: view.screen, savedViewId: view.isDefault ? null : view.savedViewId })}
                onCopyLink={() => void copyText(`${location.origin}${pathname}?${viewParam}=${view.savedViewId}`)}
                onRemove={() => void remove(view)}
              />
            ),
          )}
        </ul>
      )}
      {isNew && tenantId ? (
        <ViewForm
          teams={teams}
          isTaken={isTaken}
          onSave={(choices) => void create({ ...shown, ...choices, tenantId }).then((done) => done && setNew(false))}
        />
      ) : (
        !current && (
          <Button small icon="plus" disabled={!tenantId} onClick={() => setNew(true)}>
            {t.newView}
          </Button>
        )
      )}
    </div>
  );
}
