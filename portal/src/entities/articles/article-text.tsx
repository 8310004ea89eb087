import { partsOfNote } from '@cloudfit/contract/notes.ts';
import { markdown } from '../../components/markdown/markdown-lazy.tsx';
import './articles.css';

const words = (text: string) =>
  partsOfNote(text).map((part, at) =>
    part.kind === 'link' ? (
      <a key={at} href={part.href} target="_blank" rel="noreferrer">
        {part.text}
      </a>
    ) : (
      part.text
    ),
  );

/** The Markdown of an article. Numbers and names stay words, because customers read them too. */
export function ArticleText({ text, heading = 'h3' }: { text: string; heading?: 'h3' | 'h4' }) {
  return (
    <div className="article-text">
      <markdown.Component text={text} words={words} heading={heading} />
    </div>
  );
}
