import { onDemand } from '../on-demand.tsx';
import type { MarkdownProps } from './markdown.tsx';

/** Markdown whose parser loads with the first text; until then, and where it cannot load, the text stands there as it was typed. */
export const markdown = onDemand<MarkdownProps>(
  () =>
    import('./markdown.tsx').then(
      ({ Markdown }) => Markdown,
      () => Plain,
    ),
  { waiting: (props) => <Plain {...props} /> },
);

function Plain({ text, words }: MarkdownProps) {
  return words(text);
}
