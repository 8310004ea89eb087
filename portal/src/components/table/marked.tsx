import { marksIn } from '@cloudfit/contract/query/search-form.ts';
import './marked.css';

/** A text in which the terms of a search are marked. */
export function Marked({ text, terms }: { text: string; terms: readonly string[] }) {
  const marks = marksIn(text, terms);
  if (marks.length === 0) return text;
  return (
    <span className="marked">
      {marks.map(({ from, to }, n) => [text.slice(marks[n - 1]?.to ?? 0, from), <mark key={from}>{text.slice(from, to)}</mark>])}
      {text.slice(marks.at(-1)?.to)}
    </span>
  );
}
