import './color-dot.css';

/** The colour of a rule beside its name; nothing for a rule without one. */
export function ColorDot({ color }: { color: string | null | undefined }) {
  if (!color) return null;
  return <i className={`color-dot ${color}`} role="img" aria-label={color} title={color} />;
}
