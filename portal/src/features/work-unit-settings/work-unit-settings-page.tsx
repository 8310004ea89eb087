import { Link } from 'react-router';
import { serviceLevelTexts as levelTexts } from '@cloudfit/contract/messages/service-levels.en.ts';
import { serviceLevels } from '@cloudfit/contract/resources/service-levels.ts';
import { categoryTexts as t } from '@cloudfit/contract/messages/categories.en.ts';
import { useMay } from '../../api/lookups.ts';
import { Button } from '../../components/button.tsx';
import { ImportButton } from '../../entities/list-import/import-button.tsx';
import { ListPage } from '../../resource/list-page.tsx';
import { categoriesView, enabledFlag } from './categories.view.tsx';
import { SubcategoriesPanel } from './subcategories-panel.tsx';
import { useSubcategoriesPanel } from './use-subcategories-panel.ts';
import './work-unit-settings.css';

/** The list is rendered last, so that the panel of a category covers the panel of its subcategories. */
export function WorkUnitSettingsPage() {
  const { categoryId, close } = useSubcategoriesPanel();
  const may = useMay();
  return (
    <>
      {categoryId && <SubcategoriesPanel key={categoryId} categoryId={categoryId} onClose={() => close()} />}
      <ListPage
        view={categoriesView}
        bar={({ state, change }) => {
          const isNarrow = state.quick.includes(enabledFlag);
          return (
            <>
              <span className="two-lists" role="group" aria-label={t.lists}>
                <Button small look="quiet" aria-pressed={!isNarrow} onClick={() => change({ quick: [] })}>
                  {t.all}
                </Button>
                <Button small look="quiet" aria-pressed={isNarrow} onClick={() => change({ quick: [enabledFlag] })}>
                  {t.enabledOnly}
                </Button>
              </span>
              <ImportButton list="workUnitCategories" area="WorkUnits.Categories" />
              {may(serviceLevels.area, 'view') && (
                <Link className="btn small" to="../servicelevels" relative="path">
                  {levelTexts.title}
                </Link>
              )}
            </>
          );
        }}
      />
    </>
  );
}
