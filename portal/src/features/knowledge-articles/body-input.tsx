import { useState } from 'react';
import { knowledgeArticleTexts as t } from '@cloudfit/contract/messages/knowledge-articles.en.ts';
import { Button } from '../../components/button.tsx';
import { ArticleText } from '../../entities/articles/article-text.tsx';
import type { InputProps } from '../../forms/form-types.ts';

/** Markdown as it is typed, or as its readers will see it. */
export function BodyInput({ field, value, onChange, onBlur, disabled, aria }: InputProps) {
  const [isPreview, setPreview] = useState(false);
  const text = typeof value === 'string' ? value : '';
  return (
    <>
      {isPreview ? (
        <div className="body-preview">{text.trim() === '' ? <p className="muted">{t.previewEmpty}</p> : <ArticleText text={text} />}</div>
      ) : (
        <textarea
          className="input area article-body"
          rows={16}
          {...aria}
          value={text}
          maxLength={field.max}
          readOnly={disabled}
          onBlur={onBlur}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
      <div className="row body-foot">
        <span className="grow muted">{t.markdownHelp}</span>
        <Button small onClick={() => setPreview(!isPreview)}>
          {isPreview ? t.write : t.preview}
        </Button>
      </div>
    </>
  );
}
