import { useId } from 'react';
import { intakeTexts as t } from '@cloudfit/contract/messages/intake.en.ts';

export function SpamCheck({ value, onChange }: { value: boolean; onChange: (value: boolean) => void }) {
  const hint = useId();
  return (
    <div className="spam-check">
      <label className="check">
        <input
          type="checkbox"
          checked={value}
          {...(value ? { 'aria-describedby': hint } : {})}
          onChange={(event) => onChange(event.target.checked)}
        />
        {t.spam}
      </label>
      {value && (
        <p id={hint} className="faint">
          {t.spamHint}
        </p>
      )}
    </div>
  );
}
