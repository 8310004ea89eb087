/** Values of an exception that are changed where they are shown. */
import { useState } from 'react';
import { ruleExceptionTexts as t } from '@cloudfit/contract/messages/rule-exceptions.en.ts';
import type { RowInput } from '@cloudfit/contract/resource.ts';
import { ruleExceptions } from '@cloudfit/contract/resources/rule-exceptions.ts';
import type { OwnValues } from '@cloudfit/contract/rules/own-values.ts';
import { changeRow, removeRow } from '../../api/row-calls.ts';
import { useCommand } from '../../calls/command.ts';
import { nowMs } from '../../theme/now.ts';
import { inputTime, instantAt } from '../../theme/times.ts';

interface Editable {
  ruleExceptionId: string;
  ownValues: OwnValues | null;
  tenantId: string | null;
}

/** Changes and removes one exception. `place` is what it is for, in words. */
export function useExceptionChanges({ ruleExceptionId: id, ownValues, tenantId }: Editable, place: string) {
  const change = useCommand((values: RowInput<typeof ruleExceptions>) => changeRow(ruleExceptions, id, values), {
    failed: t.saveFailed,
    refreshes: [ruleExceptions.name],
  });
  const drop = useCommand(() => removeRow(ruleExceptions, id), {
    confirm: () => ({ title: t.remove, text: t.removeQuestion(place), yes: t.remove }),
    done: () => t.removed,
    about: { tenantId },
    refreshes: [ruleExceptions.name],
  });
  return {
    isBusy: change.isBusy,
    set: (values: RowInput<typeof ruleExceptions>) => void change.run(values),
    setConstant: (key: string, value: string) => {
      const { [key]: _before, ...others } = ownValues ?? {};
      const next = value === '' ? others : { ...others, [key]: value };
      void change.run({ ownValues: Object.keys(next).length > 0 ? next : null });
    },
    remove: () => void drop.run(undefined),
  };
}

interface ValueCellProps {
  label: string;
  /** The own value; empty as for all. */
  value: string;
  asForAll: string;
  disabled: boolean;
  type?: 'text' | 'datetime-local';
  onSave: (value: string) => void;
}

/** A value that is saved when the person leaves the cell, or by Enter; Escape brings back what was there. */
export function ValueCell({ label, value, asForAll, disabled, type = 'text', onSave }: ValueCellProps) {
  const [typed, setTyped] = useState<string>();
  const save = ({ validity }: HTMLInputElement) => {
    // A time of which a part is missing has no value; that is not meant as "no end".
    if (typed !== undefined && typed.trim() !== value && !validity.badInput) onSave(typed.trim());
    setTyped(undefined);
  };
  return (
    <input
      className="input"
      type={type}
      aria-label={label}
      title={label}
      value={typed ?? value}
      placeholder={asForAll}
      disabled={disabled}
      onChange={(event) => setTyped(event.target.value)}
      onBlur={(event) => save(event.currentTarget)}
      onKeyDown={(event) => {
        if (event.key === 'Escape') {
          event.stopPropagation();
          setTyped(undefined);
        }
        if (event.key !== 'Enter') return;
        // Enter in the form of the rule would save the rule.
        event.preventDefault();
        event.stopPropagation();
        save(event.currentTarget);
      }}
    />
  );
}

const longestMs = 24 * 3_600_000;

/** The milliseconds until the first of these exceptions ends by itself, when what is shown is read again; false without an end. */
export function nextEndMs(exceptions: readonly { until: string | null }[]): number | false {
  const ends = exceptions.flatMap(({ until }) => (until === null ? [] : [Date.parse(until) - nowMs()])).filter((ms) => ms > 0);
  return ends.length > 0 && Math.min(longestMs, Math.min(...ends) + 1_000);
}

/** When an exception ends, in the time zone of the person; empty: when somebody removes it. */
export function UntilCell({
  until,
  onSave,
  ...cell
}: Pick<ValueCellProps, 'label' | 'disabled'> & { until: string | null; onSave: (until: string | null) => void }) {
  return (
    <ValueCell
      {...cell}
      type="datetime-local"
      asForAll=""
      value={until === null ? '' : inputTime(new Date(until))}
      onSave={(value) => onSave(value === '' ? null : instantAt(value).toISOString())}
    />
  );
}
