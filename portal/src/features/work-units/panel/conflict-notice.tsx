import { useEffect, useId, useRef } from 'react';
import { en } from '@cloudfit/contract/messages/en.ts';
import { workUnitTexts } from '@cloudfit/contract/messages/work-unit.en.ts';
import { historyTexts as t } from '@cloudfit/contract/messages/work-unit-history.en.ts';
import { usePersonName } from '../../../api/people-names.ts';
import { Button } from '../../../components/button.tsx';
import { RelativeTime } from '../../../components/relative-time.tsx';
import type { Collision } from './collisions.ts';
import { labelOf, spokenOf, wordsOf, type NamesById } from '../inputs/field-value.ts';
import { useNames } from '../inputs/use-names.ts';
import { useHistory } from './use-work-unit.ts';
import type { WorkUnitEditing } from './use-work-unit-editing.ts';
import type { PanelWorkUnit } from '../work-unit.rules.ts';
import './conflict-notice.css';

/** Who changed a field last, and when, from the feed; without an entry, the last change of the unit. */
function useChangeOf(unit: PanelWorkUnit, name: string): { by: string; at: string } {
  const nameOf = usePersonName();
  const { data = [] } = useHistory(unit.workUnitId);
  const entry = data.filter((row) => row.field === name).toSorted((a, b) => b.id - a.id)[0];
  return { by: nameOf(entry?.createdBy ?? unit.modifiedBy), at: entry?.created ?? unit.modified };
}

/** Number of characters above which a value is shown in a box that scrolls. */
const longest = 240;

function Value({ name, value, names, term }: { name: string; value: unknown; names: NamesById; term: string }) {
  const words = wordsOf(name, value, names);
  const isLong = (words ?? '').length > longest;
  return (
    <div>
      <dt>{term}</dt>
      <dd>
        {words === null ? (
          <span className="faint">{t.empty}</span>
        ) : (
          <div
            className={isLong ? 'long' : ''}
            {...(isLong ? { tabIndex: 0, role: 'region', 'aria-label': `${labelOf(name)}, ${term}` } : {})}
          >
            {words}
          </div>
        )}
      </dd>
    </div>
  );
}

interface ConflictChoiceProps {
  unit: PanelWorkUnit;
  names: NamesById;
  collision: Collision;
  choose: WorkUnitEditing['choose'];
}

function Choice({ unit, names, collision, choose }: ConflictChoiceProps) {
  const { name, mine, theirs, before } = collision;
  const { by, at } = useChangeOf(unit, name);
  const label = labelOf(name);
  const id = useId();
  return (
    <li>
      <div role="group" aria-labelledby={id} className="collision">
        <div className="row">
          <b id={id}>{label}</b>
          <span>
            {t.changedBy(by)} <RelativeTime value={at} />
          </span>
        </div>
        <dl>
          <Value name={name} value={mine} names={names} term={t.yours} />
          <Value name={name} value={theirs} names={names} term={t.theirs} />
          <Value name={name} value={before} names={names} term={t.before} />
        </dl>
        <div className="row">
          <Button small aria-label={t.keepMineOf(label, spokenOf(name, mine, names))} onClick={() => choose(collision, 'mine')}>
            {t.keepMine}
          </Button>
          <Button small aria-label={t.takeTheirsOf(label, spokenOf(name, theirs, names))} onClick={() => choose(collision, 'theirs')}>
            {t.takeTheirs}
          </Button>
        </div>
      </div>
    </li>
  );
}

/** The pressed button disappears with its field, so the focus moves to the next choice, and after the last one to Save. */
function useNextFocus(left: number) {
  const box = useRef<HTMLDivElement>(null);
  const before = useRef(left);
  useEffect(() => {
    if (left < before.current && document.activeElement === document.body)
      (
        box.current?.querySelector<HTMLElement>('.collision button') ?? document.querySelector<HTMLElement>('.panel-footer [type=submit]')
      )?.focus();
    before.current = left;
  }, [left]);
  return box;
}

/** Lists above the form the fields that somebody else changed too, with both values and the choice between them. */
export function ConflictNotice({ unit, editing }: { unit: PanelWorkUnit; editing: WorkUnitEditing }) {
  const { collisions, conflict } = editing;
  const names = useNames(unit);
  const box = useNextFocus(collisions.length);
  useEffect(() => {
    // Scrolls up to the notice, so that the person sees why nothing was saved.
    if (conflict) box.current?.closest('.body')?.scrollTo?.(0, 0);
  }, [conflict, box]);
  return (
    <div ref={box}>
      {(conflict || collisions.length > 0) && (
        <section className={conflict ? 'notice conflict error' : 'notice conflict'} aria-label={t.conflictLabel}>
          <div className="row">
            <span className="grow" role={conflict ? 'alert' : 'status'}>
              {conflict ? en.workUnits.conflict : t.collision(collisions.length)}
            </span>
            <Button small onClick={editing.discard}>
              {workUnitTexts.discardAndRefresh}
            </Button>
          </div>
          {collisions.length > 0 && (
            <ul>
              {collisions.map((collision) => (
                <Choice key={collision.name} unit={unit} names={names} collision={collision} choose={editing.choose} />
              ))}
            </ul>
          )}
        </section>
      )}
    </div>
  );
}
