/** The fields of a unit that have a value, to read: for people who may not edit it. */
import type { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { usePersonName } from '../../../api/people-names.ts';
import type { ResourceFormState } from '../../../forms/use-resource-form.ts';
import { fieldValue, labelOf } from '../../../rows/row.ts';
import { DeviceNames, RuleNames } from '../changes/rows-input.tsx';
import { wordsOf } from '../inputs/field-value.ts';
import { useNames } from '../inputs/use-names.ts';
import type { PanelWorkUnit } from '../work-unit.rules.ts';

/** Fields that list rows, whose names are read. */
const namesOf = { affectedDevices: DeviceNames, expectedRules: RuleNames } as const;

function Words({ name, value, words }: { name: string; value: unknown; words: string }) {
  const Names = name === 'affectedDevices' || name === 'expectedRules' ? namesOf[name] : undefined;
  return Names && Array.isArray(value) ? <Names ids={value.map(String)} /> : words;
}

interface UnitFactsProps {
  unit: PanelWorkUnit;
  state: ResourceFormState<typeof workUnits>;
}

export function UnitFacts({ unit, state }: UnitFactsProps) {
  usePersonName();
  const names = useNames(unit);
  return state.sections.map((section, at) => {
    const facts = section.fields.flatMap((name) => {
      const words = wordsOf(name, fieldValue(unit, name), names);
      return words === null || words === '[]' ? [] : [{ name, words, value: fieldValue(unit, name) }];
    });
    if (facts.length === 0) return null;
    return (
      <section key={section.title ?? at} className="form-section" {...(section.title ? { 'aria-label': section.title } : {})}>
        {section.title && <h3>{section.title}</h3>}
        <dl className="pairs">
          {facts.map(({ name, words, value }) => (
            <div key={name}>
              <dt>{labelOf(state.resource, name)}</dt>
              <dd>
                <Words name={name} value={value} words={words} />
              </dd>
            </div>
          ))}
        </dl>
      </section>
    );
  });
}
