/** What an import would do, kind by kind: each row can be left out, and says what would change. */
import type { ImportOutcome } from '@cloudfit/contract/configuration.ts';
import { configurationTexts as t } from '@cloudfit/contract/messages/configuration.en.ts';
import { findResource } from '@cloudfit/contract/resources/registry.ts';
import { FieldDifferences } from '../../entities/changes/field-differences.tsx';

type ImportedChange = ImportOutcome['changes'][number];

/** Rows of one kind that are listed; the others are counted, and follow the box of their kind. */
const listed = 100;

interface ImportChangesProps {
  changes: readonly ImportedChange[];
  names: Readonly<Record<string, string>>;
  without: ReadonlySet<string>;
  onChoose: (places: readonly string[], isChosen: boolean) => void;
}

export function ImportChanges({ changes, names, without, onChoose }: ImportChangesProps) {
  const kinds = [...Map.groupBy(changes, ({ resource }) => resource)];
  return (
    <div className="import-changes">
      {kinds.map(([resource, rows]) => {
        const places = rows.flatMap(({ at }) => at ?? []);
        const chosen = places.filter((at) => !without.has(at)).length;
        const label = findResource(resource)?.plural ?? resource;
        return (
          <section key={resource} aria-label={label}>
            <h4>
              <input
                type="checkbox"
                aria-label={t.chooseKind(label)}
                checked={chosen > 0}
                ref={(box) => {
                  if (box) box.indeterminate = chosen > 0 && chosen < places.length;
                }}
                onChange={(event) => onChoose(places, event.target.checked)}
              />
              {label} <span className="faint">{t.ofRows(chosen, places.length)}</span>
            </h4>
            <ul>
              {rows.slice(0, listed).map((change) => (
                <ChangedRow key={change.at ?? change.name} {...{ change, names, without, onChoose }} isOpen={changes.length <= 10} />
              ))}
            </ul>
            {rows.length > listed && <p className="faint">{t.moreRows(rows.length - listed)}</p>}
          </section>
        );
      })}
    </div>
  );
}

function ChangedRow({
  change,
  names,
  without,
  onChoose,
  isOpen,
}: Omit<ImportChangesProps, 'changes'> & { change: ImportedChange; isOpen: boolean }) {
  const { verb, name, fields, at, resource } = change;
  return (
    <li>
      {at && (
        <input
          type="checkbox"
          aria-label={t.chooseRow(name)}
          checked={!without.has(at)}
          onChange={(event) => onChoose([at], event.target.checked)}
        />
      )}
      <details open={isOpen}>
        <summary>
          {t.verbs[verb]} {findResource(resource)?.label ?? resource}: <strong>{name}</strong>
        </summary>
        <FieldDifferences
          resource={resource}
          fields={fields}
          names={names}
          isNew={verb === 'add'}
          texts={{ field: t.field, before: t.before, after: t.after }}
        />
      </details>
    </li>
  );
}
