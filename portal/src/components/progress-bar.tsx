import './progress-bar.css';

interface ProgressBarProps {
  done: number;
  /** 0 while it is not known. */
  all: number;
  /** Read aloud. */
  label: string;
}

/** How far something has come that takes a while. */
export function ProgressBar({ done, all, label }: ProgressBarProps) {
  const share = all > 0 ? Math.min(100, Math.round((done / all) * 100)) : 0;
  return (
    <span className="progress-bar" role="progressbar" aria-label={label} aria-valuemin={0} aria-valuemax={100} aria-valuenow={share}>
      <i style={{ width: `${share}%` }} />
    </span>
  );
}
