/** The panel of a category's subcategories, in the address as `subcategoriesOf`; the one that is edited as `subcategoryId`. */
import { useSearchParams } from 'react-router';
import { useAddress } from '../../hooks/use-address.ts';

const panelParam = 'subcategoriesOf';
export const subcategoryParam = 'subcategoryId';

export function useSubcategories() {
  const [params] = useSearchParams();
  const change = useAddress();
  return {
    categoryId: params.get(panelParam),
    open: (categoryId: string) =>
      change(
        (next) => {
          for (const name of ['id', subcategoryParam]) next.delete(name);
          next.set(panelParam, categoryId);
          return undefined;
        },
        { now: true },
      ),
    close: () =>
      change(
        (next) => {
          for (const name of [panelParam, subcategoryParam]) next.delete(name);
          return undefined;
        },
        { now: true },
      ),
  };
}
