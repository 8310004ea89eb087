import './color-dot.css';

/** The colour of a rule as a dot, labelled by default with the name of the colour; nothing for a rule without a colour. */
export function ColorDot({ color, label = color ?? '' }: { color: string | null | undefined; label?: string }) {
  if (!color) return null;
  return <i className={`color-dot ${color}`} role="img" aria-label={label} title={label} />;
}
