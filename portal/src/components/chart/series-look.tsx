/** How the series of a chart are distinguished: by colour and by dash. */

const colors = ['--accent', '--sev1', '--ok', '--sev2', '--sev0', '--sev4'] as const;
const dashes: readonly (readonly number[])[] = [[], [7, 4], [2, 3], [9, 3, 2, 3], [12, 5], [4, 2, 1, 2]];

export const colorOf = (at: number): string => colors[at % colors.length] ?? colors[0];
export const dashOf = (at: number, faint = false): readonly number[] => (faint ? [3, 4] : (dashes[at % dashes.length] ?? []));

/** A short piece of the line of a series. */
export function Swatch({ at, faint = false }: { at: number; faint?: boolean | undefined }) {
  return (
    <svg className="swatch" width="18" height="8" aria-hidden>
      <line
        x1="0"
        x2="18"
        y1="4"
        y2="4"
        strokeWidth={faint ? 1 : 2}
        style={{ stroke: `var(${faint ? '--faint' : colorOf(at)})` }}
        strokeDasharray={dashOf(at, faint).join(' ')}
      />
    </svg>
  );
}
