/** The Markdown of a person's text as elements. It never makes HTML from text, so a text can contain nothing that runs or loads. */
import { Fragment, type ReactNode } from 'react';
import type { MarkedToken, Token, Tokens } from 'marked';
import { fileInNote } from '@cloudfit/contract/notes.ts';
import { linkTarget, parseMarkdown } from './parse-markdown.ts';
import './markdown.css';

export interface MarkdownProps {
  text: string;
  /** Shows plain words, in which the caller finds what its readers know: addresses, numbers, names. */
  words: (text: string) => ReactNode;
  /** Shows a file that the text refers to; without it, its name stands there. */
  file?: ((file: { id: string; name: string; isImage: boolean }) => ReactNode) | undefined;
  /** Shows what can be done with an action that is open, a line `- [ ] ...`. */
  action?: ((text: string) => ReactNode) | undefined;
  /** The level of its headings, which is one below the heading above the text; notes stand below one of level 3. */
  heading?: 'h3' | 'h4';
}

type ShownParts = Pick<MarkdownProps, 'words' | 'file' | 'action' | 'heading'>;

function all(tokens: readonly Token[] | undefined, shown: ShownParts): ReactNode {
  return tokens?.map((token, at) => <Fragment key={at}>{one(token as MarkedToken, shown)}</Fragment>);
}

function link({ type, href, raw, text, tokens }: Tokens.Link | Tokens.Image, shown: ShownParts): ReactNode {
  const id = fileInNote(href);
  if (id !== undefined) return shown.file?.({ id, name: text, isImage: type === 'image' }) ?? text;
  const target = linkTarget(href);
  if (target === undefined) return raw;
  // A link in a link is no HTML, and the words of a link are its own. An image of elsewhere would tell that place who reads.
  const inside: ShownParts = { words: (words) => words };
  return (
    <a href={target} title={target} target="_blank" rel="noreferrer">
      {all(tokens, inside) ?? text}
    </a>
  );
}

function list({ ordered, start, items }: Tokens.List, shown: ShownParts): ReactNode {
  const lines = items.map(({ tokens, task, checked, text }, at) => (
    <li key={at}>
      {all(tokens, shown)}
      {task && !checked && shown.action?.(text.split('\n')[0] ?? '')}
    </li>
  ));
  return ordered ? <ol start={Number(start)}>{lines}</ol> : <ul>{lines}</ul>;
}

function table({ header, rows }: Tokens.Table, shown: ShownParts): ReactNode {
  return (
    <table>
      <thead>
        <tr>
          {header.map(({ tokens }, at) => (
            <th key={at}>{all(tokens, shown)}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((cells, row) => (
          <tr key={row}>
            {cells.map(({ tokens }, at) => (
              <td key={at}>{all(tokens, shown)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function one(token: MarkedToken, shown: ShownParts): ReactNode {
  switch (token.type) {
    case 'paragraph':
      return <p>{all(token.tokens, shown)}</p>;
    case 'text':
      return token.tokens ? all(token.tokens, shown) : shown.words(token.text);
    case 'escape':
      return token.text;
    case 'strong':
      return <strong>{all(token.tokens, shown)}</strong>;
    case 'em':
      return <em>{all(token.tokens, shown)}</em>;
    case 'del':
      return <del>{all(token.tokens, shown)}</del>;
    case 'codespan':
      return <code>{token.text}</code>;
    case 'code':
      return (
        <pre>
          <code>{token.text}</code>
        </pre>
      );
    case 'br':
      return <br />;
    case 'hr':
      return <hr />;
    case 'space':
      return null;
    case 'heading': {
      const Heading = shown.heading ?? 'h4';
      return <Heading>{all(token.tokens, shown)}</Heading>;
    }
    case 'blockquote':
      return <blockquote>{all(token.tokens, shown)}</blockquote>;
    case 'list':
      return list(token, shown);
    case 'checkbox':
      return token.checked ? '☑ ' : '☐ ';
    case 'table':
      return table(token, shown);
    case 'link':
    case 'image':
      return link(token, shown);
    default:
      return token.raw;
  }
}

export function Markdown({ text, ...shown }: MarkdownProps) {
  const tokens = parseMarkdown(text);
  return tokens ? <div className="markdown">{all(tokens, shown)}</div> : shown.words(text);
}
