import './color-dot.css';

/** The colour of a rule, beside its name or with a label that says it; nothing for a rule without one. */
export function ColorDot({ color, label = color ?? '' }: { color: string | null | undefined; label?: string }) {
  if (!color) return null;
  return <i className={`color-dot ${color}`} role="img" aria-label={label} title={label} />;
}
