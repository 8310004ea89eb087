import { useState } from 'react';
import { situationTexts as t } from '@cloudfit/contract/messages/work-unit-situation.en.ts';
import { Button } from '../../../components/button.tsx';

const [maxLines, maxLength] = [4, 320];

/** The description of a unit to read; a long one is clipped until the person asks for all of it. */
export function UnitWords({ text }: { text: string | null | undefined }) {
  const [isOpen, setIsOpen] = useState(false);
  if (!text) return null;
  const isLong = text.length > maxLength || text.split('\n').length > maxLines;
  return (
    <>
      <p className={isLong && !isOpen ? 'unit-words clipped' : 'unit-words'}>{text}</p>
      {isLong && (
        <Button small look="quiet" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          {isOpen ? t.showLess : t.showAll}
        </Button>
      )}
    </>
  );
}
