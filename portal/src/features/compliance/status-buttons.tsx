import { complianceTexts as t } from '@cloudfit/contract/messages/compliance.en.ts';
import { Icon, type IconName } from '../../components/icon.tsx';
import { nearing } from '../../components/overlay/floating.tsx';
import type { Status } from './use-place.ts';

/** The statuses that have a button. For Notset, no button is pressed. */
const choices: readonly { status: Status; icon: IconName }[] = [
  { status: 'Compliant', icon: 'check' },
  { status: 'NonCompliant', icon: 'close' },
  { status: 'Poam', icon: 'pending' },
  { status: 'Exempt', icon: 'info' },
];

interface StatusButtonsProps {
  control: string;
  value: Status;
  disabled: boolean;
  /** Whether the server has not confirmed the status yet. */
  isSaving: boolean;
  onChoose: (status: Status) => void;
}

export function StatusButtons({ control, value, disabled, isSaving, onChoose }: StatusButtonsProps) {
  return (
    <div className="status-buttons" role="group" aria-label={t.statusOf(control)} aria-busy={isSaving}>
      {choices.map(({ status, icon }) => (
        <button
          key={status}
          type="button"
          className={status}
          aria-pressed={value === status}
          disabled={disabled}
          {...nearing}
          onClick={() => onChoose(status)}
        >
          {value === status && <Icon name={icon} />}
          {t.status[status]}
        </button>
      ))}
    </div>
  );
}
