import { useId } from 'react';

interface SettingSwitchProps {
  label: string;
  hint: string;
  checked: boolean;
  onChange: (on: boolean) => void;
}

/** A setting that is on or off, with its explanation. */
export function SettingSwitch({ label, hint, checked, onChange }: SettingSwitchProps) {
  const id = useId();
  return (
    <div className="setting">
      <label className="check">
        <input
          type="checkbox"
          role="switch"
          className="switch"
          aria-describedby={id}
          checked={checked}
          onChange={(event) => onChange(event.target.checked)}
        />
        {label}
      </label>
      <p className="faint" id={id}>
        {hint}
      </p>
    </div>
  );
}
