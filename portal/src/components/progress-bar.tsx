import './progress-bar.css';

interface ProgressBarProps {
  done: number;
  /** The total; 0 until it is known. */
  all: number;
  /** The label that screen readers announce. */
  label: string;
}

/** The progress of a long operation. */
export function ProgressBar({ done, all, label }: ProgressBarProps) {
  const share = all > 0 ? Math.min(100, Math.round((done / all) * 100)) : 0;
  return (
    <span className="progress-bar" role="progressbar" aria-label={label} aria-valuemin={0} aria-valuemax={100} aria-valuenow={share}>
      <i style={{ width: `${share}%` }} />
    </span>
  );
}
