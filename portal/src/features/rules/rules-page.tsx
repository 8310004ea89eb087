import { en } from '@cloudfit/contract/messages/en.ts';
import { ListPage } from '../../resource/list-page.tsx';
import { rulesView } from './rules.view.tsx';

export function RulesPage() {
  return (
    <ListPage
      view={rulesView}
      bar={({ state, change }) => (
        <label className="check">
          <input
            type="checkbox"
            checked={state.quick.includes('disabled')}
            onChange={(event) =>
              change({ quick: [...state.quick.filter((id) => id !== 'disabled'), ...(event.target.checked ? ['disabled'] : [])] })
            }
          />
          {en.rules.showDisabled}
        </label>
      )}
    />
  );
}
