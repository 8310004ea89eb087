import { workUnitTexts } from '@cloudfit/contract/messages/work-unit.en.ts';
import { usePersonName } from '../../../api/people-names.ts';
import { valueText } from '../../../rows/cells.tsx';
import { ErrorState } from '../../../components/states.tsx';
import { useCategories, useSubcategories } from '../inputs/use-categories.ts';
import { useCustomFields } from '../inputs/use-custom-fields.ts';
import type { PanelWorkUnit } from '../work-unit.rules.ts';
import { labelOf } from '../../../rows/row.ts';

const t = workUnitTexts;
const elsewhere = ['relations', 'properties'];

/** Returns the custom properties; null if the text is not a JSON object. */
function customPairs(text: string | null): [string, string][] | null {
  if (!text) return [];
  try {
    const parsed: unknown = JSON.parse(text);
    if (parsed === null || typeof parsed !== 'object' || Array.isArray(parsed)) return null;
    return Object.entries(parsed).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]);
  } catch {
    return null;
  }
}

function Pairs({ pairs }: { pairs: readonly (readonly [string, string])[] }) {
  return (
    <dl className="pairs">
      {pairs.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

export function Properties({ unit }: { unit: PanelWorkUnit | undefined }) {
  return unit ? <UnitProperties unit={unit} /> : <ErrorState small title={t.noProperties} />;
}

/** The properties of a unit that have a value. Custom fields have the names that the tenant gave them. */
function UnitProperties({ unit }: { unit: PanelWorkUnit }) {
  usePersonName();
  const { resource } = useCustomFields(unit.tenantId, unit);
  const { data: categories } = useCategories();
  const { data: subcategories } = useSubcategories();
  const names: Record<string, string | undefined> = {
    workUnitCategoryId: categories?.find((category) => category.workUnitCategoryId === unit.workUnitCategoryId)?.name,
    workUnitSubcategoryId: subcategories?.find((subcategory) => subcategory.workUnitSubcategoryId === unit.workUnitSubcategoryId)?.name,
  };
  const customFields = Object.keys(resource.fields)
    .filter((name) => !elsewhere.includes(name))
    .map((name) => [labelOf(resource, name), names[name] ?? valueText(resource, name, unit)] as const)
    .filter(([, value]) => value !== '');
  const custom = customPairs(unit.properties);
  return (
    <>
      <section className="form-section" aria-label={t.workUnitProperties}>
        <h3>{t.workUnitProperties}</h3>
        <Pairs pairs={customFields} />
      </section>
      <section className="form-section" aria-label={t.additionalProperties}>
        <h3>{t.additionalProperties}</h3>
        {custom === null && <p className="muted">{t.badProperties}</p>}
        {custom?.length === 0 && <p className="muted">{t.noAdditional}</p>}
        {custom && custom.length > 0 && <Pairs pairs={custom} />}
      </section>
    </>
  );
}
