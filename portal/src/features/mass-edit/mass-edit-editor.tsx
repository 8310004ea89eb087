/** Edits fields of many units at once: fields, units, errors and progress. */
import { useRef, useState, type SyntheticEvent } from 'react';
import { en } from '@cloudfit/contract/messages/en.ts';
import { massEditTexts as t } from '@cloudfit/contract/messages/mass-edit.en.ts';
import { Button } from '../../components/button.tsx';
import { ProgressBar } from '../../components/progress-bar.tsx';
import { SidePanel } from '../../components/side-panel.tsx';
import { useUnsavedGuard } from '../../hooks/use-unsaved-guard.ts';
import { openStates } from '@cloudfit/contract/enums.ts';
import { LiveMatches } from '../../entities/matches/live-matches.tsx';
import { FieldLine } from './field-line.tsx';
import { editsOf, lineProblems, valuesOf, type PreviewLine, type MassEditUnit } from './mass-edit.rules.ts';
import { RunNotice } from './run-notice.tsx';
import { massEditParam } from '../../entities/work-units/selected-ids.ts';
import { TypeNotice } from './type-notice.tsx';
import { UnitList } from './unit-list.tsx';
import { useMassEdit } from './use-mass-edit.ts';

interface EditorProps {
  units: readonly MassEditUnit[];
  /** Number of selected units that could not be loaded. */
  missing: number;
  onKeep: (ids: readonly number[]) => void;
  onRefresh: () => void;
  onClose: (options?: { saved?: boolean }) => void;
}

export function MassEditEditor({ units, missing, onKeep, onRefresh, onClose }: EditorProps) {
  const lastId = useRef(0);
  const blank = (): PreviewLine => ({ id: (lastId.current += 1), name: '', value: null });
  const [lines, setLines] = useState<readonly PreviewLine[]>(() => [{ id: 0, name: '', value: null }]);
  const [isTried, setTried] = useState(false);
  const { run, start, stop, restart } = useMassEdit(() => onClose({ saved: true }));
  const problems = lineProblems(lines);
  const isBusy = run.phase === 'running' || run.phase === 'stopping';
  const isMixed = new Set(units.map((unit) => unit.workUnitTypeId)).size > 1;
  const edits = problems.size > 0 ? [] : editsOf(units, valuesOf(lines));
  const ended = edits.filter(({ newState: { stateId } }) => stateId && !openStates.some((open) => open === stateId)).map(({ id }) => id);
  const hasNothing = problems.size === 0 && edits.length === 0;
  const isDirty = lines.some((line) => line.name !== '');
  useUnsavedGuard(isDirty || isBusy, massEditParam);

  const save = (chosen = edits) => {
    setTried(true);
    if (problems.size === 0 && chosen.length > 0 && !isMixed && !isBusy) void start(chosen);
  };
  const keep = (stays: (id: number) => boolean) => onKeep(units.map((unit) => unit.workUnitId).filter(stays));
  const saveRest = () => {
    const accepted = edits.filter(({ id }) => !run.reasons.has(id));
    keep((id) => !run.reasons.has(id));
    save(accepted);
  };
  // A duplicate field is reported at once, a missing value only on save.
  const shown = (line: PreviewLine) => {
    const problem = problems.get(line.id);
    return isTried || problem === t.duplicate ? problem : undefined;
  };

  return (
    <SidePanel
      title={t.titleOf(units.length)}
      onClose={onClose}
      footer={
        <>
          <Button look="primary" type="submit" form="mass-edit" disabled={isBusy || isMixed || hasNothing}>
            {t.save(edits.length > 0 ? edits.length : units.length)}
          </Button>
          {isBusy ? (
            <>
              <Button disabled={run.phase === 'stopping'} onClick={stop}>
                {run.phase === 'stopping' ? t.stopping : t.stop}
              </Button>
              <ProgressBar done={run.done} all={run.all} label={t.titleOf(run.all)} />
              <span className="faint num" role="status">
                {t.progress(run.done, run.all)}
              </span>
            </>
          ) : (
            <>
              <Button onClick={() => onClose()}>{en.common.cancel}</Button>
              {problems.size === 0 && edits.length < units.length && (
                <span className="faint">{hasNothing ? t.allUnchanged : t.unchanged(units.length - edits.length)}</span>
              )}
            </>
          )}
        </>
      }
    >
      <form
        id="mass-edit"
        className="body mass-edit"
        noValidate
        onSubmit={(event: SyntheticEvent) => {
          event.preventDefault();
          save();
        }}
      >
        {missing > 0 && (
          <div className="mass-notice" role="status">
            {t.notEditable(missing)}
          </div>
        )}
        {isMixed && (
          <TypeNotice
            units={units}
            onKeep={(type) => onKeep(units.filter(({ workUnitTypeId }) => workUnitTypeId === type).map(({ workUnitId }) => workUnitId))}
          />
        )}
        <RunNotice
          run={run}
          rest={edits.filter(({ id }) => !run.reasons.has(id)).length}
          onSaveRest={saveRest}
          onRefresh={() => {
            restart();
            onRefresh();
          }}
        />
        {ended.length > 0 && <LiveMatches workUnitIds={ended} areEnded={false} />}
        <section aria-label={t.fields}>
          <h3>{t.fields}</h3>
          <ul>
            {lines.map((line) => (
              <FieldLine
                key={line.id}
                line={line}
                problem={shown(line)}
                disabled={isBusy}
                onChange={(next) => setLines(lines.map((line) => (line.id === next.id ? next : line)))}
                onRemove={() => setLines(lines.length > 1 ? lines.filter((item) => item.id !== line.id) : [blank()])}
              />
            ))}
          </ul>
          <Button small icon="plus" disabled={isBusy} onClick={() => setLines([...lines, blank()])}>
            {t.addField}
          </Button>
        </section>
        <section aria-label={t.selection}>
          <h3>{t.selection}</h3>
          <UnitList units={units} reasons={run.reasons} disabled={isBusy} onLeaveOut={(id) => keep((item) => item !== id)} />
        </section>
      </form>
    </SidePanel>
  );
}
