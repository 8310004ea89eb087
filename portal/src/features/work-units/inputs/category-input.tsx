/**
 * Category and subcategory; the category determines the subcategories. A disabled choice is shown only if the unit already has
 * it.
 */
import { en } from '@cloudfit/contract/messages/en.ts';
import { workUnitPanelTexts as t } from '@cloudfit/contract/messages/work-unit-panel.en.ts';
import type { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import type { InputProps } from '../../../forms/form-types.ts';
import { ChoiceSelect } from './choice-select.tsx';
import { useCategories, useSubcategories } from './use-categories.ts';

interface CategoryChoice {
  name: string;
  isEnabled: boolean;
}

/** Returns the label of a choice; a loading text while the names load, because an id is not readable. */
function labelOf(choice: CategoryChoice | undefined): string {
  if (!choice) return en.auth.loading;
  return choice.isEnabled ? choice.name : t.disabledChoice(choice.name);
}

export function CategoryInput({ value, onChange, onBlur, disabled, aria, values, setValue }: InputProps<typeof workUnits>) {
  const { data: all = [] } = useCategories();
  const { tenantId, workUnitTypeId } = values;
  const isReady = Boolean(tenantId && workUnitTypeId);
  const choices = all
    .filter((category) => category.isEnabled && category.tenantId === tenantId && category.workUnitTypeId === Number(workUnitTypeId))
    .map((category) => ({ value: category.workUnitCategoryId, label: category.name }));
  return (
    <ChoiceSelect
      {...{ choices, value, onBlur, aria }}
      valueLabel={labelOf(all.find((category) => category.workUnitCategoryId === value))}
      none={isReady ? en.common.none : t.pickTypeFirst}
      disabled={disabled || !isReady}
      onChange={(next) => {
        onChange(next);
        if (values.workUnitSubcategoryId) setValue('workUnitSubcategoryId', null);
      }}
    />
  );
}

export function SubcategoryInput({ value, onChange, onBlur, disabled, aria, values }: InputProps<typeof workUnits>) {
  const { data: all = [] } = useSubcategories();
  const category = values.workUnitCategoryId;
  const choices = all
    .filter((item) => item.isEnabled && item.workUnitCategoryId === category)
    .map((subcategory) => ({ value: subcategory.workUnitSubcategoryId, label: subcategory.name }));
  return (
    <ChoiceSelect
      {...{ choices, value, onChange, onBlur, aria }}
      valueLabel={labelOf(all.find((subcategory) => subcategory.workUnitSubcategoryId === value))}
      none={category ? en.common.none : t.pickCategoryFirst}
      disabled={disabled || !category}
    />
  );
}
