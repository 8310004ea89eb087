import { useId } from 'react';
import { Checkbox } from '../../components/fields/checkbox.tsx';

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
      <Checkbox label={label} role="switch" className="switch" aria-describedby={id} checked={checked} onChange={onChange} />
      <p className="faint" id={id}>
        {hint}
      </p>
    </div>
  );
}
