import type { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { SuggestedArticles } from '../../../entities/articles/suggested-articles.tsx';
import { TextInput } from '../../../forms/inputs.tsx';
import type { InputProps } from '../../../forms/form-types.ts';

/** The title; while a unit is new, articles that may help with it stand below. An open unit has them beside its feed. */
export function UnitTitleInput(props: InputProps<typeof workUnits>) {
  const { row, value, values } = props;
  // A text input takes the props of any resource.
  const input = <TextInput {...(props as unknown as InputProps)} />;
  if (row) return input;
  return (
    <>
      {input}
      <SuggestedArticles tenantId={values.tenantId} title={value} workUnitCategoryId={values.workUnitCategoryId} />
    </>
  );
}
