/**
 * Address parameters of the subcategories of a category: `subcategoriesOf` is the id of the category, `subcategoryId` is the id
 * of the subcategory in the form.
 */
import { useSearchParams } from 'react-router';
import { usePanelParams } from '../../hooks/use-panel-params.ts';

const panelParam = 'subcategoriesOf';
export const subcategoryParam = 'subcategoryId';
const panelParams = [panelParam, subcategoryParam] as const;

export function useSubcategoriesPanel() {
  const [params] = useSearchParams();
  const { open, close } = usePanelParams(panelParams);
  return { categoryId: params.get(panelParam), open: (categoryId: string) => open(panelParam, categoryId), close };
}
