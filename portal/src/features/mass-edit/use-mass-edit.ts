/** Saves a mass edit part by part: saved units, errors, cancelling, and one undo for all of it. */
import { useCallback, useEffect, useRef, useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { massEditTexts as t } from '@cloudfit/contract/messages/mass-edit.en.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { changeRows } from '../../api/row-calls.ts';
import { tellOfRow } from '../../hooks/tell-of-row.ts';
import { toastFailure } from '../../hooks/toast-failure.ts';
import { undoEdits } from '../../entities/work-units/undo-edits.ts';
import { asStored, bodyOf, chunksOf, isConflict, reasonsOf, type UnitEdit } from '../../entities/work-units/unit-edits.ts';
import { failureOf } from './mass-edit.rules.ts';

export interface MassEditRun {
  phase: 'ready' | 'running' | 'stopping' | 'stopped' | 'refused';
  /** The number of units in this run, and how many of them are saved. */
  all: number;
  done: number;
  /** Why the request was refused as a whole, and the units that caused it. */
  failure: string | undefined;
  isConflict: boolean;
  reasons: ReadonlyMap<number, string>;
}

const ready: MassEditRun = { phase: 'ready', all: 0, done: 0, failure: undefined, isConflict: false, reasons: new Map() };
const undoMs = 20_000;

export function useMassEdit(onDone: () => void) {
  const client = useQueryClient();
  const [run, setRun] = useState(ready);
  const stop = useRef(false);
  const isHere = useRef(true);
  /** All edits that were saved since the panel opened, over several runs. */
  const saved = useRef<UnitEdit[]>([]);
  const tellSaved = useCallback(() => {
    const all = saved.current;
    if (all.length === 0) return;
    saved.current = [];
    tellOfRow(all, t.saved(all.length), { durationMs: undoMs, action: { label: t.undo, run: () => void undoEdits(client, all) } });
  }, [client]);
  // Also runs when the person leaves the page, so that the edits saved until this moment can be undone.
  useEffect(() => {
    isHere.current = true;
    return () => {
      isHere.current = false;
      tellSaved();
    };
  }, [tellSaved]);

  const start = async (edits: readonly UnitEdit[]) => {
    stop.current = false;
    let done = 0;
    setRun({ ...ready, phase: 'running', all: edits.length });
    for (const chunk of chunksOf(edits)) {
      if (stop.current || !isHere.current) break;
      try {
        const rows = await changeRows(workUnits, chunk.map(bodyOf));
        saved.current.push(...chunk.map((edit, at) => asStored(edit, rows[at])));
        done += chunk.length;
        setRun((now) => ({ ...now, done }));
      } catch (error) {
        console.warn(error);
        toastFailure(error, t.failed);
        setRun((now) => ({
          ...now,
          phase: 'refused',
          failure: failureOf(error),
          isConflict: isConflict(error),
          reasons: reasonsOf(error),
        }));
        await client.invalidateQueries({ queryKey: [workUnits.name, 'list'] });
        return;
      }
    }
    void client.invalidateQueries({ queryKey: [workUnits.name] });
    if (done < edits.length && isHere.current) {
      setRun((now) => ({ ...now, phase: 'stopped' }));
      return;
    }
    if (isHere.current) onDone();
    else tellSaved();
  };

  return {
    run,
    start,
    stop: () => {
      stop.current = true;
      setRun((now) => ({ ...now, phase: 'stopping' }));
    },
    restart: () => setRun(ready),
  };
}
