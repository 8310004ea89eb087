import { useId } from 'react';
import { intakeTexts as t } from '@cloudfit/contract/messages/intake.en.ts';
import { Checkbox } from '../../components/fields/checkbox.tsx';

export function SpamCheck({ value, onChange }: { value: boolean; onChange: (value: boolean) => void }) {
  const hint = useId();
  return (
    <div className="spam-check">
      <Checkbox label={t.spam} checked={value} {...(value ? { 'aria-describedby': hint } : {})} onChange={onChange} />
      {value && (
        <p id={hint} className="faint">
          {t.spamHint}
        </p>
      )}
    </div>
  );
}
