import { useState } from 'react';
import { situationTexts as t } from '@cloudfit/contract/messages/work-unit-situation.en.ts';
import { Button } from '../../../components/button.tsx';

const [maxLines, maxLength] = [4, 320];

interface UnitWordsProps {
  text: string | null | undefined;
  /** What the text is, where that is not plain. */
  title?: string;
}

/** A text of a unit to read, as its description; a long one is clipped until the person asks for all of it. */
export function UnitWords({ text, title }: UnitWordsProps) {
  const [isOpen, setIsOpen] = useState(false);
  if (!text) return null;
  const isLong = text.length > maxLength || text.split('\n').length > maxLines;
  return (
    <>
      {title && <h3 className="unit-words-title">{title}</h3>}
      <p className={isLong && !isOpen ? 'unit-words clipped' : 'unit-words'}>{text}</p>
      {isLong && (
        <Button small look="quiet" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          {isOpen ? t.showLess : t.showAll}
        </Button>
      )}
    </>
  );
}
